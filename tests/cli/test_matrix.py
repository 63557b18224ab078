"""`chanceless matrix`: what it prints, for people and for programs."""

import csv
import io
import json
import random
import sys

import numpy as np
import pytest
from rich.cells import cell_len

import chanceless
from chanceless import compare_all, compare_to
from chanceless.cli import terminal
from chanceless.cli.terminal import working
from tests.cli.terminal import error, run, usage_error
from tests.pets import csv_bytes

RNG = random.Random(5)
TRUTH = [RNG.choice("abcd") for _ in range(60)]
RUNS = {
    f"run {run}": [label if RNG.random() < 0.5 + run / 30 else RNG.choice(["a", "b", "-1"]) for label in TRUTH]
    for run in range(15)
}
COLUMNS = {"sample": [f"s{i}" for i in range(60)], "truth": TRUTH, **RUNS, "size": [i % 7 for i in range(60)]}
CLUSTERINGS = {name: labels for name, labels in COLUMNS.items() if name not in ("sample", "size")}
FEW = ["run 0", "run 7", "truth"]
LEFT_OUT = (
    "Warning: left out, since (nearly) every row has a different value there: 'sample'. "
    "Hint: name the columns to compare them anyway.\n"
)


@pytest.fixture(autouse=True)
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs.csv").write_bytes(csv_bytes(COLUMNS))
    return tmp_path


def test_for_people():
    lines = run("matrix", "runs.csv", *FEW).stdout.splitlines()
    assert lines[0] == "runs.csv: adjusted_mutual_info of 3 clusterings of 60 samples"
    matrix = compare_all({name: CLUSTERINGS[name] for name in FEW})
    assert lines[1] == "information beyond chance; k: number of clusters"
    assert lines[3].split() == ["k", "1", "2", "3"]
    for place, (line, name, row) in enumerate(zip(lines[4:7], FEW, matrix.to_numpy(), strict=True), start=1):
        n_clusters = len(set(CLUSTERINGS[name]))
        assert line.split() == [str(place), *name.split(), str(n_clusters), *(f"{value:.3f}" for value in row)]
    assert f"medoid, most similar to all others: {matrix.medoid()}" in lines
    assert lines[-1] == f"similar ones side by side: {', '.join(FEW[place] for place in matrix.order())}"


def test_all_columns_but_names_of_samples():
    result = run("matrix", "runs.csv")
    lines = result.stdout.splitlines()
    assert result.stderr == LEFT_OUT
    assert lines[0] == "runs.csv: adjusted_mutual_info of 17 clusterings of 60 samples"
    assert "... the first 12 rows and 12 columns of 17; --csv or --json prints all" in lines
    assert max(map(len, lines)) <= 80
    assert all(line == line.rstrip() and "\x1b" not in line and "-0.00 " not in line for line in lines)


def test_names_of_samples_where_they_are_asked_for(runs):
    asked_for = (
        "Warning: clusters have fewer than 2 samples on average in 'sample' (60 clusters of 60 samples). "
        "Hint: read adjusted scores only; --exclude sample leaves out a column.\n"
    )
    assert run("matrix", "runs.csv", "sample", "truth").stderr == asked_for
    assert run("matrix", "runs.csv", "--reference", "sample").stderr == asked_for
    (runs / "ids.csv").write_bytes(csv_bytes({"a": range(30), "b": range(30)}))
    assert error("matrix", "ids.csv") == (
        "'ids.csv' must have a column of labels, got none; left out, since (nearly) every row has a different value "
        "there: 'a', 'b'. Hint: name the columns to compare them anyway."
    )


def test_several_scores():
    text = run("matrix", "runs.csv", *FEW, "--score", "rand", "--score", "variation_of_information").stdout
    assert "runs.csv: rand of 3 clusterings" in text
    assert "runs.csv: variation_of_information of 3 clusterings" in text


def test_csv_has_all_digits():
    rows = list(csv.reader(io.StringIO(run("matrix", "runs.csv", "--csv", *CLUSTERINGS).stdout)))
    assert rows[0] == ["clustering", *CLUSTERINGS]
    assert [row[0] for row in rows[1:]] == list(CLUSTERINGS)
    values = [[float(value) for value in row[1:]] for row in rows[1:]]
    assert values == compare_all(CLUSTERINGS).to_numpy().tolist()


def test_csv_of_several_scores():
    text = run("matrix", "runs.csv", *FEW, "--csv", "--score", "rand", "--score", "homogeneity").stdout
    rows = list(csv.reader(io.StringIO(text)))
    matrix = compare_all({name: CLUSTERINGS[name] for name in FEW}, ["rand", "homogeneity"])
    assert rows[0] == ["score", "clustering", *FEW]
    assert [row[:2] for row in rows[1:]] == [[score, name] for score in ("rand", "homogeneity") for name in FEW]
    assert [float(value) for value in rows[4][2:]] == matrix.to_numpy("homogeneity")[0].tolist()


def test_json():
    answer = json.loads(run("matrix", "runs.csv", "--json", "--score", "rand", *FEW).stdout)
    matrix = compare_all({name: CLUSTERINGS[name] for name in FEW}, "rand")
    assert answer == {
        "file": "runs.csv",
        "options": {"where": None, "missing": "raise"},
        "names": FEW,
        "counted": [[60] * 3] * 3,
        "warnings": [],
        "n_samples": 60,
        "n_clusters": [len(set(CLUSTERINGS[name])) for name in FEW],
        "average_method": "arithmetic",
        "scores": {"rand": matrix.to_numpy().tolist()},
        "medoid": {"rand": matrix.medoid()},
    }


def test_cells_are_those_of_compare():
    policy = ("--noise", "-1", "--noise-as", "singletons", "--average-method", "geometric", "--where", "size > 2")
    score = ("--score", "adjusted_mutual_info")
    answer = json.loads(run("matrix", "runs.csv", "truth", "run 3", "--json", *policy, *score).stdout)
    bare = run("compare", "runs.csv", "truth", "run 3", *policy, *score).stdout
    assert float(bare) == answer["scores"]["adjusted_mutual_info"][0][1]
    assert answer["n_samples"] == sum(size > 2 for size in COLUMNS["size"])


def test_missing_labels(runs):
    (runs / "gaps.csv").write_text("a,b,c\nx,1,\nx,,1\ny,2,2\ny,2,2\n")
    assert error("matrix", "gaps.csv") == (
        "'gaps.csv' must have a label in every row of each column, got none in 1 of 4 rows of 'b', 1 of 4 rows of 'c'. "
        "Hint: --missing drop leaves these rows out of each pair, --missing category makes them a cluster, --exclude "
        "leaves out a column."
    )
    assert error("matrix", "gaps.csv", "--reference", "a").startswith("'gaps.csv' must have a label in every row")
    alone = run("matrix", "gaps.csv", "--exclude", "b", "--exclude", "c").stderr
    assert alone.startswith("Warning: 'a' is the only column, and there is nothing to compare it with.")
    answer = json.loads(run("matrix", "gaps.csv", "--missing", "drop", "--score", "rand", "--json").stdout)
    columns = {"a": ["x", "x", "y", "y"], "b": ["1", None, "2", "2"], "c": [None, "1", "2", "2"]}
    assert answer["scores"]["rand"] == compare_all(columns, "rand", missing="drop").to_numpy().tolist()


def test_ranking_against_a_reference():
    result = run("matrix", "runs.csv", *RUNS, "--reference", "truth", "--no-intervals")
    lines = result.stdout.splitlines()
    ranking = compare_to(TRUTH, RUNS, intervals=False)
    assert lines[0] == "runs.csv: 15 clusterings against truth (4 clusters)"
    assert lines[3].split() == ["adjusted_mutual_info", "pairwise_adjusted_mutual_info", "n_clusters"]
    for place, line in enumerate(lines[4:]):
        values = [f"{ranking.scores[score][place]:.6f}" for score in ranking.scores]
        name = ranking.names[place]
        assert line.split() == [str(place + 1), *name.split(), *values, str(len(set(RUNS[name])))]
    assert max(map(len, lines)) <= 80


def test_ranking_with_intervals():
    ranking = compare_to(TRUTH, RUNS)
    lines = run("matrix", "runs.csv", *RUNS, "--reference", "truth").stdout.splitlines()
    assert lines[3].split() == ["(1)", "95", "%", "interval", "may", "be", "best", "(2)", "n_clusters"]
    for place, line in enumerate(lines[4 : 4 + len(RUNS)]):
        low, high, tied = ranking.low[place], ranking.high[place], ranking.tied_with_best[place]
        assert f" {low:.3f} to {high:.3f} " in line
        assert f" {'yes' if tied else 'no'} " in line
    assert "may be best: cannot be distinguished from the first one by these samples" in lines
    assert max(map(len, lines)) <= 80
    answer = json.loads(run("matrix", "runs.csv", *RUNS, "--reference", "truth", "--json").stdout)
    assert [answer[name] for name in ("low", "high", "tied_with_best", "level")] == [
        ranking.low,
        ranking.high,
        ranking.tied_with_best,
        0.95,
    ]
    assert (
        "--intervals needs --reference, which is not given." in run("matrix", "runs.csv", "--intervals", code=2).stderr
    )
    command = "matrix", "runs.csv", *RUNS, "--reference", "truth", "--score", "mutual_info", "--intervals"
    refused = error(*command, code=2)
    assert refused.startswith("--score must be a score whose intervals hold, got 'mutual_info'")


def test_ranking_by_many_scores():
    scores = ["rand", "pairwise_adjusted_mutual_info", "normalized_mutual_info", "v_measure", "mutual_info"]
    options = [option for score in scores for option in ("--score", score)]
    command = "matrix", "runs.csv", *RUNS, "--reference", "truth", *options
    lines = run(*command).stdout.splitlines()
    assert lines[3].split() == ["(1)", "95", "%", "interval", "may", "be", "best", "(2)", "n_clusters"]
    assert "... the first 2 of 5 scores; --csv or --json prints all" in lines
    assert max(map(len, lines)) <= 80
    lines = run(*command, "--no-intervals").stdout.splitlines()
    assert lines[3].split() == ["(1)", "(2)", "(3)", "(4)", "n_clusters"]
    assert "... the first 4 of 5 scores; --csv or --json prints all" in lines
    assert "(2) pairwise_adjusted_mutual_info: information lost by one swap" in lines
    assert max(map(len, lines)) <= 80
    rows = list(
        csv.reader(io.StringIO(run("matrix", "runs.csv", *RUNS, "--reference", "truth", *options, "--csv").stdout))
    )
    ranking = compare_to(TRUTH, RUNS, scores)
    assert rows[0] == ["clustering", *scores, "low", "high", "tied_with_best", "n_clusters", "n_samples"]
    assert [int(row[9]) for row in rows[1:]] == ranking.n_clusters
    assert [row[0] for row in rows[1:]] == ranking.names
    assert [float(row[5]) for row in rows[1:]] == ranking.scores["mutual_info"]
    answer = json.loads(run("matrix", "runs.csv", *RUNS, "--reference", "truth", "--json").stdout)
    assert (answer["reference"], answer["names"][0]) == ("truth", compare_to(TRUTH, RUNS).names[0])


def test_headings_are_short_where_names_need_room(runs):
    for length, short in ((9, False), (13, False), (14, True), (40, True)):
        names = [f"{'x' * (length - 1)}{place}" for place in range(3)]
        columns = {"truth": TRUTH, **dict(zip(names, RUNS.values(), strict=False))}
        (runs / "names.csv").write_bytes(csv_bytes(columns))
        lines = run("matrix", "names.csv", "--reference", "truth", "--no-intervals").stdout.splitlines()
        assert ("(1)" in lines[3]) is short
        assert max(map(len, lines)) <= 80


def test_candidates_with_very_different_numbers_of_clusters(runs):
    columns = {"truth": TRUTH, "few": [i % 2 for i in range(60)], "many": [i % 9 for i in range(60)]}
    (runs / "numbers.csv").write_bytes(csv_bytes(columns))
    result = run("matrix", "numbers.csv", "--reference", "truth")
    assert result.stderr.startswith("Warning: The clusterings have 2 to 9 clusters, and adjusted_mutual_info is not on")
    answer = json.loads(run("matrix", "numbers.csv", "--reference", "truth", "--json").stdout)
    assert dict(zip(answer["names"], answer["n_clusters"], strict=True)) == {"few": 2, "many": 9}
    assert answer["n_clusters_reference"] == 4


def test_odd_names_of_columns(runs):
    names = ["[red]", "語" * 40, "שלום", 'quo"te', "'; drop table x; --", "a\x1b[1m", "x" * 10_000, "line\nbreak"]
    (runs / "odd.csv").write_bytes(csv_bytes({name: RUNS[f"run {place}"] for place, name in enumerate(names)}))
    for arguments in ([], ["--reference", names[4]]):
        lines = run("matrix", "odd.csv", *arguments).stdout.splitlines()
        assert max(map(cell_len, lines)) <= 80
        assert all(line.isprintable() for line in lines)
    lines = run("matrix", "odd.csv").stdout.splitlines()
    assert lines[4].split()[:2] == ["1", "[red]"]
    widths = {cell_len(line) for line in lines[3:12]}
    assert len(widths) == 1
    answer = json.loads(run("matrix", "odd.csv", "--json").stdout)
    assert answer["names"] == names


def test_standard_input(runs):
    content = (runs / "runs.csv").read_bytes()
    assert run("matrix", "-", *FEW, input=content).stdout.startswith("standard input: adjusted_mutual_info of 3")
    assert error("matrix", "-", "x", input=content).startswith("standard input ")


def test_one_column_and_two():
    assert run("matrix", "runs.csv", "truth").stdout.splitlines()[-1].split() == ["1", "truth", "4", "1.000"]
    assert run("matrix", "runs.csv", "truth", "truth").stdout.startswith(
        "runs.csv: adjusted_mutual_info of 1 clustering "
    )
    assert "alike" not in run("matrix", "runs.csv", "truth", "run 1").stdout


def test_without_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.cluster", None)
    result = run("matrix", "runs.csv", *FEW)
    assert "scipy" not in result.stdout
    assert (
        result.stderr == 'Warning: order needs scipy, which is not installed. Hint: pip install "chanceless[plots]".\n'
    )


def test_pictures(runs):
    run("matrix", "runs.csv", *FEW, "--plot", "m.svg")
    assert (runs / "m.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'FILE', the table whose columns are to be compared."),
        (["runs.csv", "--json", "--csv"], "--json and --csv cannot be used together; leave one of them out."),
        (
            ["runs.csv", "--plot", "x.png", "--reference", "truth"],
            "--plot and --reference cannot be used together; leave",
        ),
    ],
)
def test_usage_errors(arguments, message):
    assert usage_error("matrix", *arguments).startswith(message)


def test_errors():
    message = error("matrix", "runs.csv", "x")
    for part in ("'runs.csv' ", "column", "'x'", "'sample', 'truth'"):
        assert part in message
    assert error("matrix", "runs.csv", "--score", "rnd", code=2).startswith("--score must be one of")
    assert error("matrix", "runs.csv", "--where", "size >", code=2).startswith("--where must be one condition")
    message = error("matrix", "runs.csv", "--reference", "Truth")
    assert message.startswith("'runs.csv' must have a column 'Truth', got the columns 'sample', 'truth', 'run 0'")
    assert message.endswith("Hint: did you mean 'truth'?")
    assert error("matrix", "runs.csv", "truth", "--reference", "truth").startswith(
        "'runs.csv' must have another column to compare with 'truth'."
    )
    message = error("matrix", "runs.csv", *FEW, "--noise-as", "drop", code=2)
    assert message.startswith("--noise-as drop needs --noise, the label that means noise.")
    # options are checked before anything is read
    assert error("matrix", "nowhere.csv", "--noise-as", "drop", code=2) == message
    warning = run("matrix", "runs.csv", *FEW, "--noise", "q").stderr
    assert warning.startswith("Warning: ")
    assert "--noise" in warning
    assert "'q'" in warning


def test_progress_is_for_those_who_look(monkeypatch):
    with working("Work") as progress:
        assert progress is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with working("Work") as progress:
        progress(1, 2)


def test_progress_shows_only_long_work(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with terminal.working("Comparing pairs") as progress:
        progress(1, 10)
        assert "Comparing pairs" not in capsys.readouterr().err
        monkeypatch.setattr(terminal, "_SECONDS_BEFORE", 0)
        progress(5, 10)
        progress(10, 10)
    assert "Comparing pairs" in capsys.readouterr().err


def test_scores_are_found_by_their_other_names():
    text = run("matrix", "runs.csv", *FEW, "--score", "adjusted_rand_score", "--csv").stdout
    value = chanceless.adjusted_rand_score(RUNS["run 0"], RUNS["run 7"])
    assert text.splitlines()[1].split(",")[2] == repr(value)


def names_in(*arguments):
    return json.loads(run("matrix", *arguments, "--json").stdout)["names"]


def test_patterns_of_columns():
    tens = [f"run {number}" for number in range(10, 15)]
    assert names_in("runs.csv", "run 1?") == tens
    assert names_in("runs.csv", "truth", "run 1?", "truth", "run 12") == ["truth", *tens]
    assert names_in("runs.csv", "run 1?", "--exclude", "run 1[13]", "--exclude", "run 10") == ["run 12", "run 14"]
    assert names_in("runs.csv", "--exclude", "run*", "--exclude", "sample") == ["truth", "size"]
    assert error("matrix", "runs.csv", "leiden_*").startswith(
        "'runs.csv' must have a column that matches 'leiden_*', got the columns"
    )
    assert error("matrix", "runs.csv", "--exclude", "trut").endswith("Hint: did you mean 'truth'?")
    expected = "'runs.csv' must have a column left to compare, got none, since all are excluded by {}."
    assert error("matrix", "runs.csv", "--exclude", "*") == expected.format("'*'")
    assert error("matrix", "runs.csv", "run 12", "--exclude", "truth", "--exclude", "run*") == expected.format(
        "'truth', 'run*'"
    )
    text = run("matrix", "runs.csv", "run 1?", "--reference", "truth").stdout
    assert "5 clusterings against truth" in text


def test_names_that_look_like_patterns(runs):
    (runs / "odd.csv").write_bytes(csv_bytes({"a*": [1, 1, 2], "ab": [1, 2, 2], "a?": [1, 1, 1]}))
    assert names_in("odd.csv", "a*") == ["a*"]
    assert names_in("odd.csv", "a[*]", "ab") == ["a*", "ab"]


def test_patterns_leave_out_what_cannot_be_labels(runs):
    (runs / "nested.jsonl").write_text('{"a": 1, "ab": [1], "b": 1}\n{"a": 2, "ab": [2], "b": 1}\n')
    result = run("matrix", "nested.jsonl", "*")
    assert (
        result.stderr
        == "Warning: column 'ab' of 'nested.jsonl' is left out: its values, nested values, are not labels.\n"
    )
    assert run("matrix", "nested.jsonl", "*", "--exclude", "ab").stderr == ""
    assert "must hold names" in error("matrix", "nested.jsonl", "a", "ab")


def test_an_index_without_a_name(runs):
    (runs / "index.csv").write_text(",a,b\n" + "".join(f"c{i},{i % 2},{i % 3}\n" for i in range(30)))
    assert "different value there: '(unnamed)'" in run("matrix", "index.csv").stderr
    assert names_in("index.csv", "", "a") == ["(unnamed)", "a"]
    assert "clusterings against (unnamed)" in run("matrix", "index.csv", "--reference", "").stdout
    assert run("matrix", "index.csv", "--exclude", "").stderr == ""


def test_columns_with_nearly_as_many_clusters_as_samples(runs):
    genes = [i % 43 for i in range(60)]
    (runs / "obs.csv").write_bytes(csv_bytes({"n_genes": genes, "leiden": [i % 3 for i in range(60)]}))
    for names in (("*",), ("n_genes", "leiden"), ("n_genes", "--reference", "leiden")):
        assert run("matrix", "obs.csv", *names).stderr == (
            "Warning: clusters have fewer than 2 samples on average in 'n_genes' (43 clusters of 60 samples). "
            "Hint: read adjusted scores only; --exclude n_genes leaves out a column.\n"
        )


def measurements(listed):
    return (
        f"Warning: left out, since these look like measurements: {listed}. "
        "Hint: name the columns to compare them anyway.\n"
    )


def test_measurements_are_left_out(runs):
    columns = {
        "cell": [f"c{i}" for i in range(60)],
        "leiden": [i % 3 for i in range(60)],
        "floats": [f"{i % 4}.0" for i in range(60)],
        "n_genes": [i % 43 for i in range(60)],
        "pct_mito": [f"0.{i % 7}" for i in range(59)] + ["nan"],
        "part": ["a", "b"] * 30,
    }
    (runs / "obs.csv").write_bytes(csv_bytes(columns))
    answer = run("matrix", "obs.csv", "--json")
    assert json.loads(answer.stdout)["names"] == ["leiden", "floats", "part"]
    assert json.loads(answer.stdout)["left_out"] == ["cell", "n_genes", "pct_mito"]
    assert answer.stderr == LEFT_OUT.replace("sample", "cell") + measurements("'n_genes', 'pct_mito'")
    assert names_in("obs.csv", "*") == list(columns)
    assert names_in("obs.csv", "leiden", "pct*") == ["leiden", "pct_mito"]
    assert "measurements: 'n_genes'." in run("matrix", "obs.csv", "--reference", "pct_mito").stderr
    assert run("matrix", "obs.csv", "--exclude", "cell", "--exclude", "n_*", "--exclude", "pct*").stderr == ""
    assert error("matrix", "obs.csv", "--exclude", "leiden", "--exclude", "floats", "--exclude", "part") == (
        "'obs.csv' must have a column of labels, got none; left out, since (nearly) every row has a different value "
        "there: 'cell'; left out, since these look like measurements: 'n_genes', 'pct_mito'. "
        "Hint: name the columns to compare them anyway."
    )


def test_columns_with_gaps_are_left_out(runs):
    labels = {"a": ["x", "x", "y", "y"] * 3, "b": ["1", "2", "2", "2"] * 3}
    gaps = {"c": ["", "1", "2", "2"] * 3, "d": ["1", "2", "", ""] * 3}
    (runs / "gaps.csv").write_bytes(csv_bytes({**labels, **gaps}))
    note = (
        "Warning: left out, since rows have no label there: 'c' (3 of 12 rows), 'd' (6 of 12 rows). Hint: --missing "
        "drop leaves out these rows of each pair instead, --missing category makes them a cluster.\n"
    )
    for names in ((), ("*",), ("a", "[b-d]")):
        result = run("matrix", "gaps.csv", *names, "--score", "rand", "--json")
        assert result.stderr == note
        assert json.loads(result.stdout)["left_out"] == ["c", "d"]
        assert json.loads(result.stdout)["scores"]["rand"] == compare_all(labels, "rand").to_numpy().tolist()
    assert run("matrix", "gaps.csv", "--reference", "a").stderr == note
    expected = "'gaps.csv' must have a label in every row of each column, got none in "
    # named, asked for, or nothing to compare without it
    assert error("matrix", "gaps.csv", "a", "b", "c").startswith(expected + "3 of 12 rows of 'c'. Hint: ")
    assert expected + "6 of 12 rows of 'd'. Hint: " in run("matrix", "gaps.csv", "--reference", "d", code=1).stderr
    assert error("matrix", "gaps.csv", "--missing", "raise").startswith(expected + "3 of 12 rows of 'c', 6 of 12 rows")
    assert error("matrix", "gaps.csv", "a", "[cd]").startswith(expected + "3 of 12 rows of 'c', 6 of 12 rows of 'd'.")
    for missing in ("drop", "category"):
        answer = json.loads(run("matrix", "gaps.csv", "--missing", missing, "--json", "--score", "rand").stdout)
        columns = {name: [label or None for label in column] for name, column in {**labels, **gaps}.items()}
        assert answer["scores"]["rand"] == compare_all(columns, "rand", missing=missing).to_numpy().tolist()
        assert "left_out" not in answer


def test_limits_of_colours(runs, monkeypatch):
    drawn = []
    monkeypatch.setattr("chanceless.cli.matrix_command.save", lambda *_shown, **options: drawn.append(options))
    run("matrix", "runs.csv", *FEW, "--plot", "runs.png", "--limits", "0.5,1")
    run("matrix", "runs.csv", *FEW, "--plot", "runs.png", "--limits", "-1,1")
    run("matrix", "runs.csv", *FEW, "--plot", "runs.png")
    assert [options["limits"] for options in drawn] == [(0.5, 1.0), (-1.0, 1.0), None]
    assert [options["pvalues"] for options in drawn] == [None, None, None]
    monkeypatch.undo()
    monkeypatch.chdir(runs)
    pictures = []
    for limits in ("0,1", "0.5,1"):
        run("matrix", "runs.csv", *FEW, "--plot", "runs.png", "--limits", limits)
        pictures.append((runs / "runs.png").read_bytes())
    assert pictures[0] != pictures[1]


@pytest.mark.parametrize("limits", ["1", "1,0", "1,1", "a,b", "0,1,2", "nan,1", "0,inf", ""])
def test_limits_refused(limits):
    message = usage_error("matrix", "runs.csv", *FEW, "--plot", "runs.png", "--limits", limits)
    assert f"{limits!r} must be two numbers, the smaller first, such as 0.9,1." in message
    assert "--limits needs --plot, which is not given." in usage_error("matrix", "runs.csv", *FEW, "--limits", "0,1")


def test_placeholders_and_fractions(runs):
    (runs / "na.csv").write_text("a,b\nNA,1\nx,2\ny,2\ny,1\n")
    assert run("matrix", "na.csv").stderr.startswith(run("compare", "na.csv", "a", "b").stderr)
    assert "'NA'" not in run("matrix", "na.csv", "--noise", "NA").stderr
    assert "column 'a' of 'na.csv' has the label 'NA' in 1 of 4 rows" in run("matrix", "na.csv").stderr
    (runs / "half.jsonl").write_text('{"a": 0.5, "b": 1}\n{"a": 2, "b": 1}\n{"a": 2, "b": 1}\n{"a": 2, "b": 1}\n')
    asked_for = run("matrix", "half.jsonl", "a", "b").stderr
    assert "column 'a' of 'half.jsonl' holds numbers that are not whole in 1 of 4" in asked_for
    left_out, _ = run("matrix", "half.jsonl").stderr.splitlines(keepends=True)
    assert left_out == measurements("'a'")  # once is enough


def test_dropped_samples_are_reported(runs):
    labels = ["x", "y"] * 20
    (runs / "gap.csv").write_bytes(csv_bytes({"a": labels, "b": [*labels[:-1], ""], "c": labels}))
    for options in ((), ("--json",), ("--csv",), ("--reference", "a")):
        assert run("matrix", "gap.csv", "--missing", "drop", *options).stderr.startswith(
            "Warning: Pairs leave out up to 1 of 40 samples: --json has the number for each.\n"
        )


def test_each_noise_label_that_no_sample_has():
    for command in (("matrix", "runs.csv", "run 3", "truth"), ("compare", "runs.csv", "run 3", "truth")):
        for noise in (("-1", "-2"), ("-2", "-1")):
            options = [option for label in noise for option in ("--noise", label)]
            assert (
                "Warning: --noise is '-2', but no sample has this label. Hint: check its spelling."
                in run(*command, *options).output
            )
    assert "is '7' or 'x', but" in run("matrix", "runs.csv", "run 3", "truth", "--noise", "7", "--noise", "x").stderr


@pytest.mark.parametrize("options", [(), ("--json",), ("--csv",), ("--reference", "truth"), ("--score", "rand")])
def test_no_samples(runs, options):
    assert error("matrix", "runs.csv", *FEW, "--where", "size > 99", *options) == (
        "'runs.csv' must have samples to compare, got none. Hint: check what was filtered out or dropped."
    )
    (runs / "none.csv").write_bytes(
        csv_bytes({"truth": ["a", "b", "a", "b"], "b": [""] * 4, "c": ["a", "b", "b", "b"]})
    )
    assert error("matrix", "none.csv", "--missing", "drop", *options) == (
        "'none.csv' must have samples with labels in both columns of each pair, got none in 'truth' and 'b'. "
        "Hint: --exclude leaves out a column."
    )


def test_pairs_that_may_be_chance(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    truth = rng.integers(5, size=200)
    columns = {"a": truth, "b": np.where(rng.random(200) < 0.3, 0, truth), "c": rng.integers(5, size=200)}
    (tmp_path / "runs.csv").write_bytes(
        csv_bytes({name: [f"x{one}" for one in labels] for name, labels in columns.items()})
    )
    expected = compare_all(columns).pvalues()
    printed = run("matrix", "runs.csv", "--pvalues").stdout
    assert "2 pairs may be chance" in printed
    assert f"a and c (p = {expected['a', 'c']:.2g})" in " ".join(printed.split())
    answer = json.loads(run("matrix", "runs.csv", "--pvalues", "--json").stdout)
    assert answer["pvalues"]["pvalues"][0][1] == expected["a", "b"]
    run("matrix", "runs.csv", "--pvalues", "--plot", "runs.png")
    for other in (["--csv"], ["--reference", "a"]):
        assert "leave one of them out" in run("matrix", "runs.csv", "--pvalues", *other, code=2).stderr
    alike = run("matrix", "runs.csv", "a", "b", "--pvalues").stdout
    assert "every pair agrees beyond chance" in alike
