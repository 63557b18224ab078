"""`chanceless compare`: what it compares; columns, files of labels, standard input, some rows, and what they weigh."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import chanceless
from chanceless import ContingencyTable
from chanceless.comparison import Comparison
from tests.cli.terminal import COMPARE, FOUND, TRUTH, error, run, usage_error
from tests.pets import csv_bytes

TABLE = ContingencyTable.from_labels(TRUTH, FOUND)


@pytest.fixture(autouse=True)
def pets(tmp_path, monkeypatch):
    """Go to a folder with tables and labels."""
    monkeypatch.chdir(tmp_path)
    columns = {"animal": TRUTH, "cluster": FOUND, "weight": [1, 2, 3] * 5, "n": range(15)}
    (tmp_path / "pets.csv").write_bytes(csv_bytes(columns))
    pq.write_table(pa.table({"animal": TRUTH, "cluster": FOUND}), tmp_path / "pets.parquet")
    (tmp_path / "truth.txt").write_text("".join(f"{label}\n" for label in TRUTH))
    (tmp_path / "found").write_text("\n".join(map(str, FOUND)))
    return tmp_path


def test_no_such_column():
    message = error("compare", "pets.csv", "Animal", "cluster")
    for part in ("'pets.csv' ", "'Animal'", "'animal', 'cluster', 'weight', 'n'", "Hint: did you mean 'animal'?"):
        assert part in message


def test_missing_labels(pets):
    (pets / "pets.csv").write_text("animal,cluster\ncat,\ncat,1\ndog,2\n")
    message = error(*COMPARE, "--json")
    assert message.startswith("column 'cluster' of 'pets.csv' ")
    assert "in 1 of 3 rows. Hint: --missing drop " in message
    assert message == error(*COMPARE, "--scores-only")
    text = run(*COMPARE, "--missing", "drop").stdout
    assert "2 samples (1 dropped), 2 x 2 clusters" in text
    assert "--missing category or --noise-as singletons" in " ".join(text.split())
    answer = json.loads(run(*COMPARE, "--missing", "category", "--json").stdout)
    assert (answer["n_dropped"], answer["n_clusters_pred"], answer["options"]["missing"]) == (0, 3, "category")


@pytest.mark.parametrize("file", ["pets.csv", "pets.parquet"])
@pytest.mark.parametrize("noise_as", ["cluster", "singletons", "drop"])
def test_noise(file, noise_as):
    expected = ContingencyTable.from_labels(TRUTH, FOUND, noise=[0, 3], noise_as=noise_as)
    noise = ("--noise", "0", "--noise", "3", "--noise-as", noise_as)
    value = chanceless.adjusted_mutual_info_score(expected)
    assert run("compare", file, "animal", "cluster", *noise, "--score", "adjusted_mutual_info").stdout == f"{value!r}\n"
    dropped = f" ({expected.n_dropped} dropped)" if noise_as == "drop" else ""
    assert f"{expected.n_samples} samples{dropped}," in run("compare", file, "animal", "cluster", *noise).stdout


def test_noise_is_dropped_unless_told_otherwise():
    assert "11 samples (4 dropped)" in run(*COMPARE, "--noise", "0").stdout
    warning = run(*COMPARE, "--noise", "-1").stderr
    assert warning.startswith("Warning: ")
    assert "--noise" in warning
    assert "'-1'" in warning
    message = error(*COMPARE, "--noise-as", "drop", code=2)
    assert message.startswith("--noise-as drop needs --noise, the label that means noise. Hint: --noise -1")
    message = error("compare", "pets.parquet", "cluster", "cluster", "--noise", "x", code=2)
    assert "'x'" in message
    assert message.startswith("--noise ")


def test_weights():
    weights = [1, 2, 3] * 5
    repeated = [np.repeat(labels, weights) for labels in (TRUTH, FOUND)]
    value = chanceless.adjusted_rand_score(*repeated)
    assert run(*COMPARE, "--weight", "weight", "--score", "adjusted_rand").stdout == f"{value!r}\n"
    message = error(*COMPARE, "--weight", "animal")
    assert message.startswith("column 'animal' of 'pets.csv'")
    assert "whole number" in message
    assert "row 1" in message


def test_where():
    value = chanceless.adjusted_rand_score(TRUTH[5:], FOUND[5:])
    assert run(*COMPARE, "--where", "n >= 5", "--score", "adjusted_rand").stdout == f"{value!r}\n"
    message = error(*COMPARE, "--where", "n >= 5; drop table x", code=2)
    assert message.startswith("--where must be one condition in SQL")
    assert "'n >= 5; drop table x'" in message
    message = error(*COMPARE, "--where", "m = 1", code=2)
    for part in ("--where ", "'m = 1'", "'pets.csv'", "'m'"):
        assert part in message


def test_two_files_of_labels():
    expected = run("compare", "pets.csv", "animal", "cluster").stdout.splitlines()
    lines = run("compare", "truth.txt", "found").stdout.splitlines()
    assert lines[0] == "truth.txt (truth) and found (predicted)"
    assert lines[1:] == expected[1:]
    answer = json.loads(run("compare", "truth.txt", "found", "--json").stdout)
    assert (answer["file"], answer["truth"], answer["predicted"]) == (None, "truth.txt", "found")
    assert answer["scores"] == Comparison(TABLE).scores


def test_two_files_of_different_lengths(pets):
    (pets / "found").write_text("1\n2\n")
    message = error("compare", "truth.txt", "found")
    for part in ("'truth.txt'", "'found'", "15", "2 l", "Hint: both must list the same samples in the same order."):
        assert part in message


def test_standard_input(pets):
    value = f"{chanceless.rand_score(TRUTH, FOUND)!r}\n"
    score = ("--score", "rand")
    for content in ((pets / "pets.csv").read_bytes(), (pets / "pets.parquet").read_bytes()):
        assert run("compare", "-", "animal", "cluster", *score, input=content).stdout == value
    tabs = (pets / "pets.csv").read_bytes().replace(b",", b"\t")
    assert run("compare", "-", "animal", "cluster", *score, input=tabs).stdout == value
    assert run("compare", "-", "found", *score, input=(pets / "truth.txt").read_bytes()).stdout == value
    assert run("compare", "truth.txt", "-", *score, input=(pets / "found").read_bytes()).stdout == value
    first = run("compare", "-", "found", input=(pets / "truth.txt").read_bytes()).stdout.splitlines()[0]
    assert first == "standard input (truth) and found (predicted)"
    first = run("compare", "-", "animal", "cluster", input=tabs).stdout.splitlines()[0]
    assert first == "standard input: animal (truth) and cluster (predicted)"
    message = error("compare", "-", "animal", "x", input=tabs)
    assert message.startswith("standard input ")
    assert "column" in message
    assert "'x'" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            [],
            "Missing arguments; expected FILE TRUTH PREDICTED (two columns of a table), TRUTH_FILE PREDICTED_FILE",
        ),
        (["pets.csv"], "Missing arguments; expected FILE TRUTH PREDICTED"),
        (["pets.csv", "animal"], "Missing argument 'PREDICTED': 'pets.csv' is a table, so name two of its columns"),
        (
            ["pets.csv", "pets.csv"],
            "'pets.csv' and 'pets.csv' are tables; expected TRUTH_FILE PREDICTED_FILE TRUTH PREDICTED --on COLUMN",
        ),
        (["pets.csv", "animal", "cluster", "--on", "n"], "--on joins two tables, each with a column of labels; exp"),
        (["-", "-", "animal", "cluster", "--on", "n"], "Only one of the two files can be standard input."),
        ([*COMPARE[1:], "--unmatched", "drop"], "--unmatched needs --on, which is not given."),
        (["a.csv", "b.csv", "a", "b", "--on", "n", "--on", "n=m"], "--on names a column of the first table twice"),
        (["found", "pets.csv"], "'pets.csv' is a table, but 'found' is not; expected FILE TRUTH PREDICTED"),
        (["pets.csv", "animal", "cluster", "more"], "Got unexpected extra arguments (more); expected"),
        (["-", "-"], "Only one of the two files can be standard input."),
        (["truth.txt", "found", "--where", "true"], "--where and --weight need the columns of a table, but these"),
        (["truth.txt", "found", "--weight", "n"], "--where and --weight need the columns of a table, but these"),
        ([*COMPARE[1:], "--score", "rand", "--json"], "--score and --json cannot be used together; leave"),
        ([*COMPARE[1:], "--plot-kind", "flow"], "--plot-kind needs --plot, which is not given."),
    ],
)
def test_usage_errors(arguments, message):
    assert usage_error("compare", *arguments).startswith(message)
