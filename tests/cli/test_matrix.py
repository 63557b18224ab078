"""`chanceless matrix`: what it prints, for people and for programs."""

import csv
import io
import json
import random
import sys

import numpy as np
import pytest
from rich.cells import cell_len

from chanceless import compare_all, compare_to
from tests.cli.terminal import error, run, usage_error
from tests.pets import csv_bytes

pytestmark = pytest.mark.slow

RNG = random.Random(5)
TRUTH = [RNG.choice("abcd") for _ in range(60)]
RUNS = {
    f"run {run}": [label if RNG.random() < 0.5 + run / 30 else RNG.choice(["a", "b", "-1"]) for label in TRUTH]
    for run in range(15)
}
COLUMNS = {"sample": [f"s{i}" for i in range(60)], "truth": TRUTH, **RUNS, "size": [i % 7 for i in range(60)]}
CLUSTERINGS = {name: labels for name, labels in COLUMNS.items() if name not in ("sample", "size")}
FEW = ["run 0", "run 7", "truth"]
MATRIX = compare_all({name: CLUSTERINGS[name] for name in FEW}, ["adjusted_mutual_info", "rand"])
AGAINST = ("matrix", "runs.csv", *RUNS, "--reference", "truth")
ANYWAY = "Hint: name the columns to compare them anyway.\n"
DISTINCT = "left out, since (nearly) every row has a different value there: "
MEASURED = "left out, since these look like measurements: "


@pytest.fixture(autouse=True)
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs.csv").write_bytes(csv_bytes(COLUMNS))
    return tmp_path


def lines_of(*arguments):
    """Run `chanceless matrix`; return its lines, which fit into a terminal and are plain."""
    lines = run(*arguments).stdout.splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert all(line == line.rstrip() and line.isprintable() for line in lines)
    return lines


def answer(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


def names_in(*arguments):
    return answer("matrix", *arguments)["names"]


def rows_of(*arguments):
    return list(csv.reader(io.StringIO(run(*arguments, "--csv").stdout)))


def test_for_people():
    lines = lines_of("matrix", "runs.csv", *FEW)
    assert lines[0] == "runs.csv: adjusted_mutual_info of 3 clusterings of 60 samples"
    assert lines[1] == "information beyond chance; k: number of clusters"
    assert lines[3].split() == ["k", "1", "2", "3"]
    for place, (line, name, row) in enumerate(zip(lines[4:7], FEW, MATRIX.to_numpy(), strict=True), start=1):
        n_clusters = len(set(CLUSTERINGS[name]))
        assert line.split() == [str(place), *name.split(), str(n_clusters), *(f"{value:.3f}" for value in row)]
    assert f"medoid, most similar to all others: {MATRIX.medoid()}" in lines
    assert lines[-1] == f"similar ones side by side: {', '.join(FEW[place] for place in MATRIX.order())}"
    titles = [
        line for line in lines_of("matrix", "runs.csv", *FEW, "--score", "rand", "--score", "ari") if ".csv" in line
    ]
    assert [title.split()[1] for title in titles] == ["rand", "adjusted_rand"]


def test_all_columns_but_names_of_samples():
    lines = lines_of("matrix", "runs.csv")
    assert lines[0] == "runs.csv: adjusted_mutual_info of 17 clusterings of 60 samples"
    assert "... the first 12 rows and 12 columns of 17; --csv or --json prints all" in lines
    assert not any("-0.00 " in line for line in lines)
    assert run("matrix", "runs.csv").stderr == f"Warning: {DISTINCT}'sample'. {ANYWAY}"


def test_csv_has_all_digits():
    rows = rows_of("matrix", "runs.csv", *CLUSTERINGS)
    assert rows[0] == ["clustering", *CLUSTERINGS]
    assert [row[0] for row in rows[1:]] == list(CLUSTERINGS)
    assert [[float(value) for value in row[1:]] for row in rows[1:]] == compare_all(CLUSTERINGS).to_numpy().tolist()
    rows = rows_of("matrix", "runs.csv", *FEW, "--score", "rand", "--score", "adjusted_mutual_info_score")
    assert rows[0] == ["score", "clustering", *FEW]
    assert [row[:2] for row in rows[1:]] == [[one, name] for one in ("rand", "adjusted_mutual_info") for name in FEW]
    assert [float(value) for value in rows[4][2:]] == MATRIX.to_numpy("adjusted_mutual_info")[0].tolist()


def test_json(runs):
    content = (runs / "runs.csv").read_bytes()
    assert run("matrix", "-", *FEW, input=content).stdout.startswith("standard input: adjusted_mutual_info of 3")
    assert answer("matrix", "runs.csv", "--score", "rand", *FEW) == {
        "file": "runs.csv",
        "options": {"where": None, "missing": "raise"},
        "names": FEW,
        "counted": [[60] * 3] * 3,
        "warnings": [],
        "n_samples": 60,
        "n_clusters": [len(set(CLUSTERINGS[name])) for name in FEW],
        "average_method": "arithmetic",
        "scores": {"rand": MATRIX.to_numpy("rand").tolist()},
        "medoid": {"rand": MATRIX.medoid("rand")},
    }


def test_cells_are_those_of_compare():
    policy = ("--noise", "-1", "--noise-as", "singletons", "--average-method", "geometric", "--where", "size > 2")
    score = ("--score", "adjusted_mutual_info")
    found = answer("matrix", "runs.csv", "truth", "run 3", *policy, *score)
    bare = run("compare", "runs.csv", "truth", "run 3", *policy, *score).stdout
    assert float(bare) == found["scores"]["adjusted_mutual_info"][0][1]
    assert found["n_samples"] == sum(size > 2 for size in COLUMNS["size"])


# against a reference


def test_ranking_against_a_reference():
    lines = lines_of(*AGAINST, "--no-intervals")
    ranking = compare_to(TRUTH, RUNS, intervals=False)
    assert lines[0] == "runs.csv: 15 clusterings against truth (k = 4)"
    assert lines[3].split() == ["AMI", "PAMI", "k"]
    for place, line in enumerate(lines[4 : 4 + len(RUNS)]):
        values = [f"{ranking.scores[score][place]:.6f}" for score in ranking.scores]
        name = ranking.names[place]
        assert line.split() == [str(place + 1), *name.split(), *values, str(len(set(RUNS[name])))]


def test_ranking_with_intervals():
    ranking = compare_to(TRUTH, RUNS)
    lines = lines_of(*AGAINST)
    assert lines[3].split() == ["AMI", "95", "%", "interval", "may", "be", "best", "PAMI", "k"]
    for place, line in enumerate(lines[4 : 4 + len(RUNS)]):
        low, high, tied = ranking.low[place], ranking.high[place], ranking.may_be_best[place]
        assert f" {low:.3f} to {high:.3f}{' ' if place else '*'} " in line
        assert f" {'yes' if tied else 'no'} " in line
    assert [line for line in ranking.to_dict()["notes"] if line not in lines] == []
    found = answer(*AGAINST)
    assert (found["reference"], found["names"], found["level"]) == ("truth", ranking.names, 0.95)
    assert (found["low"], found["high"], found["may_be_best"]) == (ranking.low, ranking.high, ranking.may_be_best)
    refused = error(*AGAINST, "--score", "mutual_info", "--intervals", code=2)
    assert refused.startswith("--score must be a score whose intervals hold, got 'mutual_info'")


def test_ranking_by_many_scores():
    scores = ["rand", "pairwise_adjusted_mutual_info", "normalized_mutual_info", "v_measure", "mutual_info"]
    command = *AGAINST, *(option for score in scores for option in ("--score", score))
    assert "... the first 2 of 5 scores; --csv or --json prints all" in lines_of(*command)
    lines = lines_of(*command, "--no-intervals")
    assert lines[3].split() == ["RI", "PAMI", "NMI", "v_measure", "k"]
    assert "... the first 4 of 5 scores; --csv or --json prints all" in lines
    assert "PAMI: pairwise_adjusted_mutual_info, information lost by one swap" in lines
    rows, ranking = rows_of(*command), compare_to(TRUTH, RUNS, scores)
    known = ["rand_low", "rand_high", "rand_difference_low", "rand_difference_high", "may_be_best"]
    assert rows[0] == ["clustering", *scores, *known, "n_clusters", "n_samples"]
    assert [int(row[11]) for row in rows[1:]] == ranking.n_clusters
    assert [row[0] for row in rows[1:]] == ranking.names
    assert [float(row[5]) for row in rows[1:]] == ranking.scores["mutual_info"]


# which columns


def test_odd_names_of_columns(runs):
    names = ["[red]", "語" * 40, "שלום", 'quo"te', "'; drop table x; --", "a\x1b[1m", "x" * 10_000, "line\nbreak"]
    (runs / "odd.csv").write_bytes(csv_bytes({name: RUNS[f"run {place}"] for place, name in enumerate(names)}))
    lines_of("matrix", "odd.csv", "--reference", names[4])
    lines = lines_of("matrix", "odd.csv")
    assert lines[4].split()[:2] == ["1", "[red]"]
    assert len({cell_len(line) for line in lines[3:12]}) == 1
    assert names_in("odd.csv") == names


def test_one_column_and_two():
    assert lines_of("matrix", "runs.csv", "truth")[-1].split() == ["1", "truth", "4", "1.000"]
    assert "alike" not in run("matrix", "runs.csv", "truth", "run 1").stdout


def test_patterns_of_columns(runs):
    tens = [f"run {number}" for number in range(10, 15)]
    assert names_in("runs.csv", "run 1?") == tens
    assert names_in("runs.csv", "truth", "run 1?", "truth", "run 12") == ["truth", *tens]
    assert names_in("runs.csv", "run 1?", "--exclude", "run 1[13]", "--exclude", "run 10") == ["run 12", "run 14"]
    assert names_in("runs.csv", "--exclude", "run*", "--exclude", "sample") == ["truth", "size"]
    assert "5 clusterings against truth" in run("matrix", "runs.csv", "run 1?", "--reference", "truth").stdout
    (runs / "odd.csv").write_bytes(csv_bytes({"a*": [1, 1, 2], "ab": [1, 2, 2], "a?": [1, 1, 1]}))
    assert names_in("odd.csv", "a*") == ["a*"]
    assert names_in("odd.csv", "a[*]", "ab") == ["a*", "ab"]


def test_an_index_without_a_name(runs):
    (runs / "index.csv").write_text(",a,b\n" + "".join(f"c{i},{i % 2},{i % 3}\n" for i in range(30)))
    assert "different value there: '(unnamed)'" in run("matrix", "index.csv").stderr
    assert names_in("index.csv", "", "a") == ["(unnamed)", "a"]
    assert "--exclude '' leaves out a column" in " ".join(run("matrix", "index.csv", "", "a").stderr.split())
    assert "clusterings against (unnamed)" in run("matrix", "index.csv", "--reference", "").stdout
    assert run("matrix", "index.csv", "--exclude", "").stderr == ""


def test_measurements_are_left_out(runs):
    columns = {
        "cell": [f"c{i}" for i in range(60)],
        "leiden": [i % 3 for i in range(60)],
        "floats": [f"{i % 4}.0" for i in range(60)],
        "n_genes": [i % 43 for i in range(60)],
        "pct_mito": [f"0.{i % 7}" for i in range(59)] + ["nan"],
    }
    (runs / "obs.csv").write_bytes(csv_bytes(columns))
    result = run("matrix", "obs.csv", "--json")
    assert json.loads(result.stdout)["names"] == ["leiden", "floats"]
    assert json.loads(result.stdout)["left_out"] == ["cell", "n_genes", "pct_mito"]
    notes = f"{DISTINCT}'cell'", f"{MEASURED}'n_genes', 'pct_mito'"
    assert result.stderr == "".join(f"Warning: {note}. {ANYWAY}" for note in notes)
    assert names_in("obs.csv", "leiden", "pct*") == ["leiden", "pct_mito"]
    assert "measurements: 'n_genes'." in run("matrix", "obs.csv", "--reference", "pct_mito").stderr
    assert run("matrix", "obs.csv", "--exclude", "cell", "--exclude", "n_*", "--exclude", "pct*").stderr == ""
    expected = f"'obs.csv' must have a column of labels, got none; {'; '.join(notes)}. {ANYWAY}"
    assert error("matrix", "obs.csv", "--exclude", "leiden", "--exclude", "floats") + "\n" == expected


def test_columns_with_gaps_are_left_out(runs):
    labels = {"a": ["x", "x", "y", "y"] * 3, "b": ["1", "2", "2", "2"] * 3}
    gaps = {"c": ["", "1", "2", "2"] * 3, "d": ["1", "2", "", ""] * 3}
    (runs / "gaps.csv").write_bytes(csv_bytes({**labels, **gaps}))
    note = (
        "Warning: left out, since rows have no label there: 'c' (3 of 12 rows), 'd' (6 of 12 rows). Hint: --missing "
        "drop leaves out these rows instead, --missing category makes them a cluster.\n"
    )
    for names in ((), ("a", "[b-d]")):
        result = run("matrix", "gaps.csv", *names, "--score", "rand", "--json")
        assert result.stderr == note
        assert json.loads(result.stdout)["left_out"] == ["c", "d"]
        assert json.loads(result.stdout)["scores"]["rand"] == compare_all(labels, "rand").to_numpy().tolist()
    assert run("matrix", "gaps.csv", "--reference", "a").stderr == note
    # named, asked for, or nothing to compare without it
    for arguments in (("--missing", "raise"), ("a", "[cd]")):
        assert error("matrix", "gaps.csv", *arguments) == (
            "'gaps.csv' must have a label in every row of each column, got none in 3 of 12 rows of 'c', 6 of 12 rows "
            "of 'd'. Hint: --missing drop leaves these rows out, --missing category makes them a cluster, "
            "--exclude leaves out a column."
        )
    assert "got none in 3 of 12 rows of 'c'. Hint: " in error("matrix", "gaps.csv", "a", "c")
    assert "6 of 12 rows of 'd'. Hint: " in run("matrix", "gaps.csv", "--reference", "d", code=1).stderr
    for missing in ("drop", "category"):
        found = answer("matrix", "gaps.csv", "--missing", missing, "--score", "rand")
        columns = {name: [label or None for label in column] for name, column in {**labels, **gaps}.items()}
        assert found["scores"]["rand"] == compare_all(columns, "rand", missing=missing).to_numpy().tolist()
        assert "left_out" not in found


# warnings and errors


def test_placeholders_and_fractions(runs):
    (runs / "na.csv").write_text("a,b\nNA,1\nx,2\ny,2\ny,1\n")
    warning = run("compare", "na.csv", "a", "b").stderr
    assert "column 'a' of 'na.csv' has the label 'NA' in 1 of 4 rows" in warning
    assert run("matrix", "na.csv").stderr.startswith(warning)
    assert "'NA'" not in run("matrix", "na.csv", "--noise", "NA", "--noise-as", "drop").stderr
    (runs / "half.jsonl").write_text('{"a": 0.5, "b": 1}\n' + '{"a": 2, "b": 1}\n' * 3)
    asked_for = run("matrix", "half.jsonl", "a", "b").stderr
    assert "column 'a' of 'half.jsonl' holds numbers that are not whole in 1 of 4" in asked_for
    left_out, _ = run("matrix", "half.jsonl").stderr.splitlines(keepends=True)
    assert left_out == f"Warning: {MEASURED}'a'. {ANYWAY}"  # once is enough


@pytest.mark.parametrize("options", [(), ("--json",), ("--reference", "a")])
def test_dropped_samples_are_reported(runs, options):
    labels = ["x", "y"] * 20
    (runs / "gap.csv").write_bytes(csv_bytes({"a": labels, "b": [*labels[:-1], ""], "c": labels}))
    expected = "Warning: Pairs leave out up to 1 of 40 samples: --json has the number for each.\n"
    if "--reference" in options:
        expected = "Warning: All are scored without 1 of 40 samples, which not all have.\n"
    found = run("matrix", "gap.csv", "--missing", "drop", *options)
    assert found.stderr.startswith(expected)
    note = "scored on 39 of 40 samples, those that all keep (dropped: 1)"
    assert (note in found.stdout) == ("--reference" in options)


@pytest.mark.parametrize("options", [(), ("--json",), ("--reference", "truth")])
def test_no_samples(runs, options):
    assert error("matrix", "runs.csv", *FEW, "--where", "size > 99", *options) == (
        "'runs.csv' must have samples to compare, got none. Hint: check what was filtered out or dropped."
    )
    columns = {"truth": ["a", "b", "a", "b"], "b": [""] * 4, "c": ["a", "b", "b", "b"]}
    (runs / "none.csv").write_bytes(csv_bytes(columns))
    expected = "'none.csv' must have samples with labels in both columns of each pair, got none in 'truth' and 'b'."
    if "--reference" in options:
        expected = "clusterings must have samples that all of them keep, got none; 'b' keeps the fewest, 0 of 4."
    assert error("matrix", "none.csv", "--missing", "drop", *options).startswith(expected)


def test_without_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.cluster", None)
    expected = 'Warning: order needs scipy, which is not installed. Hint: pip install "chanceless[plots]".\n'
    assert run("matrix", "runs.csv", *FEW).stderr == expected


USAGE = {
    (): "Missing argument 'FILE', the table whose columns are to be compared.",
    ("runs.csv", "--json", "--csv"): "--json and --csv cannot be used together; leave one of them out.",
    ("runs.csv", "--plot", "x.png", "--reference", "truth"): "--plot and --reference cannot be used together; leave",
    ("runs.csv", "--intervals"): "--intervals needs --reference, which is not given.",
    ("runs.csv", "--pvalues", "--csv"): "--pvalues and --csv cannot be used together; leave one of them out.",
    ("runs.csv", "--pvalues", "--reference", "truth"): "--pvalues and --reference cannot be used together; leave",
    ("runs.csv", "--limits", "0,1"): "--limits needs --plot, which is not given.",
    **{
        ("--limits", limits): f"Invalid value for '--limits': {limits!r} must be two"
        for limits in ("1,1", "a,b", "0,inf")
    },
}


@pytest.mark.parametrize("arguments", USAGE)
def test_usage_errors(arguments):
    assert usage_error("matrix", *arguments).startswith(USAGE[arguments])


def test_options_are_checked_before_anything_is_read():
    message = error("matrix", "nowhere.csv", "--noise-as", "drop", code=2)
    assert message.startswith("--noise-as drop needs --noise, the label that means noise.")


# pictures and p-values


def test_pairs_that_may_be_chance(runs, monkeypatch):
    rng = np.random.default_rng(1)
    truth = rng.integers(5, size=200)
    columns = {"a": truth, "b": np.where(rng.random(200) < 0.3, 0, truth), "c": rng.integers(5, size=200)}
    texts = {name: [f"x{one}" for one in labels] for name, labels in columns.items()}
    (runs / "runs.csv").write_bytes(csv_bytes(texts))
    expected = compare_all(columns).pvalues()
    printed = run("matrix", "runs.csv", "--pvalues").stdout
    assert "2 pairs may be chance" in printed
    assert f"a and c (p = {expected['a', 'c']:.2g})" in " ".join(printed.split())
    assert answer("matrix", "runs.csv", "--pvalues")["pvalues"]["pvalues"][0][1] == expected["a", "b"]
    assert "every pair agrees beyond chance" in run("matrix", "runs.csv", "a", "b", "--pvalues").stdout
    drawn = []
    monkeypatch.setattr("chanceless.cli.matrix_command.save", lambda *_shown, **options: drawn.append(options))
    run("matrix", "runs.csv", "--pvalues", "--plot", "runs.png")
    assert drawn[0]["pvalues"]["a", "c"] == expected["a", "c"]
