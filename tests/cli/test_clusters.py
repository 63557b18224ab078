"""`chanceless clusters`, thresholds with `--fail-under`, and saved tables."""

import csv
import io
import json

import pytest

import chanceless
from chanceless import ContingencyTable
from tests.cli.terminal import COMPARE, FOUND, TRUTH, error, run, usage_error
from tests.pets import csv_bytes

TABLE = ContingencyTable.from_labels(TRUTH, list(map(str, FOUND)))
EXPLANATION = chanceless.compare(TABLE).explanation
SIDES = {"true": EXPLANATION.true_clusters, "predicted": EXPLANATION.pred_clusters}
KEYS = {
    "disagreement": lambda cluster: -cluster.disagreement,
    "size": lambda cluster: -cluster.size,
    "precision": lambda cluster: cluster.precision,
    "recall": lambda cluster: cluster.recall,
}
CLUSTERS = ("clusters", *COMPARE[1:])
AMI = chanceless.adjusted_mutual_info_score(TABLE)


@pytest.fixture(autouse=True)
def pets(tmp_path, monkeypatch):
    """Go to a folder with a table."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pets.csv").write_bytes(csv_bytes({"animal": TRUTH, "cluster": FOUND}))
    return tmp_path


@pytest.mark.parametrize("by", KEYS)
@pytest.mark.parametrize("side", SIDES)
def test_clusters_are_those_of_python(side, by):
    expected = sorted(SIDES[side], key=KEYS[by])
    rows = [*csv.DictReader(io.StringIO(run(*CLUSTERS, "--side", side, "--sort", by, "--csv").stdout))]
    assert [*rows[0]] == [name for name in expected[0]._fields if name != "partners"]
    assert rows == [{name: str(getattr(one, name)) for name in rows[0]} for one in expected]
    lines = run(*CLUSTERS, "--side", side, "--sort", by, "--limit", "2").stdout.splitlines()
    assert [line.split(maxsplit=4) for line in lines[5:7]] == [
        [one.label, str(one.size), f"{one.precision:.3f}", f"{one.recall:.3f}", one.text] for one in expected[:2]
    ]
    assert lines[7].startswith(f"... and {len(expected) - 2} more: ")


@pytest.mark.parametrize(("side", "only"), [("true", ["merged"]), ("true", ["kept", "split"]), ("predicted", ["part"])])
def test_clusters_of_some_verdicts(pets, side, only):
    truth, found = [0, 0, 1, 1, 2, 2, 3, 4, 4, 4, 4, 5], [0, 0, 1, 1, 1, 1, 3, 5, 5, 6, 6, 7]
    ids = [f"r{place}" for place in range(len(truth))]
    (pets / "links.csv").write_bytes(csv_bytes({"id": ids, "a": truth, "b": found}))
    explanation = chanceless.compare(list(map(str, truth)), list(map(str, found))).explanation
    clusters = explanation.true_clusters if side == "true" else explanation.pred_clusters
    expected = [one.label for one in clusters if one.verdict in only]
    assert 1 < len(expected) < len(clusters)
    command = "clusters", "links.csv", "a", "b", "--side", side, *(f"--only={verdict}" for verdict in only)
    rows = [*csv.DictReader(io.StringIO(run(*command, "--sort", "size", "--csv").stdout))]
    assert sorted(row["label"] for row in rows) == expected
    lines = run(*command, "--limit", "1").stdout.splitlines()
    assert f"... and {len(expected) - 1} more: " in lines[-1]
    assert all(verdict in lines[3] for verdict in only)
    # and their records, cluster by cluster, of one file or of two
    order = [row["label"] for row in rows]
    records = [[*map(str, record)] for record in zip(ids, truth, found, strict=True)]
    own = 1 if side == "true" else 2
    wanted = sorted((one for one in records if one[own] in order), key=lambda one: order.index(one[own]))
    text = run(*command, "--sort", "size", "--records", "id").stdout
    assert [*csv.reader(io.StringIO(text))] == [["id", "a", "b"], *wanted]
    (pets / "truth.csv").write_bytes(csv_bytes({"id": ids, "a": truth}))
    (pets / "found.csv").write_bytes(csv_bytes({"record": ids[::-1], "b": found[::-1]}))
    joined = "clusters", "truth.csv", "found.csv", "a", "b", "--on=id=record", *command[4:]
    assert run(*joined, "--sort", "size", "--records", "id").stdout == text


def test_many_clusters_are_streamed(pets):
    """More than are described at once, in the order of all of them."""
    n_clusters = 5000
    truth = [place for place in range(n_clusters) for _ in range(1 + place % 7)]
    (pets / "many.csv").write_bytes(csv_bytes({"a": truth, "b": truth}))
    rows = [*csv.DictReader(io.StringIO(run("clusters", "many.csv", "a", "b", "--sort", "size", "--csv").stdout))]
    sizes = [int(row["size"]) for row in rows]
    assert sizes == sorted((1 + place % 7 for place in range(n_clusters)), reverse=True)
    assert {row["label"] for row in rows} == set(map(str, range(n_clusters)))
    assert len(run("clusters", "many.csv", "a", "b").stdout.splitlines()) == 4 + 1 + 100 + 1


FAILED = f"Failed: adjusted_mutual_info is {AMI!r}, below 0.99.\n"


@pytest.mark.parametrize(
    "options", [(), ("--scores-only",), ("--score", "rand"), ("--json",), ("--json", "--clusters")]
)
def test_scores_below_a_limit(options):
    """What is printed is the same; a score that equals the limit passes."""
    plain = run(*COMPARE, *options)
    good = run(*COMPARE, *options, "--fail-under", f"ami={AMI!r}", "--fail-under", "standardized_mutual_info=-1e9")
    assert (good.stdout, good.stderr) == (plain.stdout, plain.stderr)
    bad = run(*COMPARE, *options, "--fail-under", "AMI=0.99", "--fail-under", "rand_score=0.1", code=3)
    assert (bad.stdout, bad.stderr) == (plain.stdout, plain.stderr + FAILED)
    both = run(*COMPARE, *options, "--fail-under", "AMI=0.99", "--fail-under", "rand=nan", code=3).stderr
    assert both.endswith(f"below 0.99; rand is {chanceless.rand_score(TABLE)!r}, below nan.\n")


@pytest.mark.parametrize("limit", ["ami", "ami=x", "=0.5", "amx=0.5", ""])
def test_limits_are_checked_before_anything_is_read(limit):
    said = usage_error("compare", "nowhere.csv", "a", "b", "--fail-under", limit)
    assert said.startswith("Invalid value for '--fail-under': ")
    assert "could not convert" not in said


@pytest.mark.parametrize("option", ["--min", "--threshold=0.9", "--min-score", "--fail-below"])
def test_other_words_for_a_limit(option):
    assert "Did you mean '--fail-under'?" in usage_error(*COMPARE, option)


def test_saved_tables(pets):
    whole = run(*COMPARE).stdout
    assert run(*COMPARE, "--save", "day").stdout == whole
    assert ContingencyTable.load("day") == TABLE
    assert run("compare", "day").stdout.splitlines()[1:] == whole.splitlines()[1:]
    assert run("clusters", "day", "--csv").stdout == run(*CLUSTERS, "--csv").stdout
    noise = "--noise", "3", "--noise-as", "drop"
    read, again = (json.loads(run(*start, *noise, "--json").stdout) for start in (COMPARE, ("compare", "day")))
    assert {name for name in read if read[name] != again[name]} == {"file", "options"}
    other = ContingencyTable.from_labels(["emu", "cat"], ["9", "0"])
    other.save("monday.csv")  # the content counts, not the ending
    answer = json.loads(run("compare", "day", "monday.csv", "--json", "--clusters").stdout)
    both = chanceless.compare(TABLE + other)
    assert (answer["scores"], answer["n_samples"]) == (both.scores, 17)
    assert [one["label"] for one in answer["clusters"]["true_clusters"]] == (TABLE + other).row_labels.tolist()
    assert usage_error("compare", "day", "--where", "true").startswith("--on, --where and --weight need rows")
    (pets / "cut").write_bytes((pets / "day").read_bytes()[:-30])
    assert usage_error("compare", "cut").startswith("Missing arguments")
    assert run("compare", "day", "--scores-only", "--score", "ami").stdout == f"{AMI!r}\n"


@pytest.mark.parametrize("option", ["--save", "--plot"])
def test_folders_are_missed_before_the_work(option):
    said = error("compare", "nowhere.csv", "a", "b", option, "nowhere/x.png")
    expected = f"{option} must be a file that can be written, got 'nowhere/x.png', in a folder that does not exist."
    assert said.startswith(expected)
