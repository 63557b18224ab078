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
    both = run(*COMPARE, *options, "--fail-under", "AMI=0.99", "--fail-under", "rand=1", code=3).stderr
    assert both.endswith(f"below 0.99; rand is {chanceless.rand_score(TABLE)!r}, below 1.0.\n")


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        *((limit, "such as ami=0.95") for limit in ("ami", "ami=x", "", "0.9", "ami=nan", "ami=1.5", "smi=inf")),
        *((limit, "score must be one of") for limit in ("=0.5", "amx=0.5")),
        ("amy=0.5", "did you mean 'ami'?"),
        ("vi=0.2", "variation_of_information is a distance: 0 is identical"),
        ("ami=0.9 AMI=0.1", "adjusted_mutual_info is named twice"),
    ],
)
def test_limits_are_checked_before_anything_is_read(limits, expected):
    said = usage_error("compare", "nowhere.csv", "a", "b", *(f"--fail-under={limit}" for limit in limits.split(" ")))
    assert said.startswith("Invalid value for '--fail-under': ")
    assert expected in said


def test_a_limit_of_a_score_in_nats():
    """Without a mean, scores have no largest value; the order of the options does not matter."""
    limit, method = ("--fail-under", "ami=1.5"), ("--average-method", "none")
    for options in ((*limit, *method), (*method, *limit)):
        assert "below 1.5" in run(*COMPARE, *options, code=3).stderr


def test_scores_are_printed_in_the_order_asked_for_with_their_caveats_alone(pets):
    """Three clusters of four samples flatter mutual_info, but not the adjusted scores."""
    (pets / "tiny.csv").write_bytes(csv_bytes({"a": [1, 1, 2, 3], "b": [1, 2, 2, 2]}))
    both = run("compare", "tiny.csv", "a", "b", "--score", "ari", "--score", "ami")
    table = chanceless.compare([1, 1, 2, 3], [1, 2, 2, 2])
    assert both.stdout.split() == [repr(table["adjusted_rand"]), repr(table["adjusted_mutual_info"])]
    assert both.stderr == ""
    assert "high by chance" in run("compare", "tiny.csv", "a", "b", "--score", "mi").stderr


@pytest.mark.parametrize("option", ["--min", "--threshold=0.9", "--min-score", "--fail-below"])
def test_other_words_for_a_limit(option):
    assert "Did you mean '--fail-under'?" in usage_error(*COMPARE, option)


def test_saved_tables(pets):
    whole = run(*COMPARE).stdout
    saved = run(*COMPARE, "--save", "day")
    assert (saved.stdout, saved.stderr) == (whole, "The counts are in day.\n")
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


@pytest.mark.parametrize("name", ["nowhere.table", "empty.table", "cut.table"])
def test_tables_that_are_no_tables(pets, name):
    """The error is one of the data, and names the file that is damaged."""
    TABLE.save("day.table")
    (pets / "empty.table").touch()
    (pets / "cut.table").write_bytes((pets / "day.table").read_bytes()[:-30])
    assert repr(name) in error("compare", name)
    assert repr(name) in error("compare", "day.table", name)


@pytest.mark.parametrize(
    ("inputs", "written"),
    [
        ("pets.csv animal cluster", "--save ./pets.csv"),
        ("*.csv animal cluster", "--save pets.csv"),
        ("days animal cluster", "--save days/pets.csv"),
        ("lake.duckdb::pets animal cluster", "--save lake.duckdb"),
        ("truth.svg found.txt", "--plot truth.svg"),
        ("truth.svg found.txt", "--save linked"),
        ("one.table two.table", "--save two.table"),
    ],
)
def test_no_input_is_written_over(pets, inputs, written):
    """Before anything is read: some of these files are none."""
    (pets / "days").mkdir()
    for name in ("truth.svg", "found.txt", "lake.duckdb", "days/pets.csv"):
        (pets / name).write_text("1\n")
    (pets / "linked").symlink_to("found.txt")
    for name in ("one.table", "two.table"):
        TABLE.save(name)
    path = pets / written.split()[1]
    before = path.read_bytes()
    said = error("compare", *inputs.split(), *written.split(), code=2)
    assert "must name another file than those that are read" in said
    assert path.read_bytes() == before
    run("compare", "pets.csv", "animal", "cluster", "--save", "days/new.csv")  # not there yet


@pytest.mark.parametrize("option", ["--save", "--plot"])
def test_folders_are_missed_before_the_work(option):
    said = error("compare", "nowhere.csv", "a", "b", option, "nowhere/x.png")
    expected = f"{option} must be a file that can be written, got 'nowhere/x.png', in a folder that does not exist."
    assert said.startswith(expected)
