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
    expected = Comparison(ContingencyTable.from_labels(TRUTH, FOUND, noise=[0, 3], noise_as=noise_as))
    answer = run("compare", file, "animal", "cluster", "--noise", "0", "--noise", "3", "--noise-as", noise_as, "--json")
    found = json.loads(answer.stdout)
    assert (found["scores"], found["n_dropped"]) == (expected.scores, expected.n_dropped)


def test_noise_needs_a_word_on_what_to_do_with_it():
    for command in (COMPARE, ("matrix", "pets.csv"), ("report", *COMPARE[1:]), ("compare", "a.txt", "b.txt")):
        message = error(*command, "--noise", "0", code=2)
        assert message.startswith("--noise needs --noise-as, which says what becomes of noise. Hint: --noise-as drop ")
    drop = "--noise-as", "drop"
    assert "11 samples (4 dropped)" in run(*COMPARE, "--noise", "0", *drop).stdout
    found = run(*COMPARE, "--noise", "-1", *drop).stderr
    assert found.startswith("Warning: --noise is '-1', but no sample has this label")
    message = error(*COMPARE, "--noise-as", "drop", code=2)
    assert message.startswith("--noise-as drop needs --noise, the label that means noise. Hint: --noise -1")
    message = error("compare", "pets.parquet", "cluster", "cluster", "--noise", "x", *drop, code=2)
    assert message.startswith("--noise ")


def test_weights_and_conditions():
    repeated = [np.repeat(labels, [1, 2, 3] * 5) for labels in (TRUTH, FOUND)]
    value = chanceless.adjusted_rand_score(*repeated)
    assert run(*COMPARE, "--weight", "weight", "--score", "adjusted_rand").stdout == f"{value!r}\n"
    message = error(*COMPARE, "--weight", "animal")
    assert message.startswith("column 'animal' of 'pets.csv' must hold whole numbers")
    value = chanceless.adjusted_rand_score(TRUTH[5:], FOUND[5:])
    assert run(*COMPARE, "--where", "n >= 5", "--score", "adjusted_rand").stdout == f"{value!r}\n"
    message = error(*COMPARE, "--where", "n >= 5; drop table x", code=2)
    assert message.startswith("--where must be one condition in SQL")
    message = error(*COMPARE, "--where", "m = 1", code=2)
    assert message.startswith("--where must name columns of 'pets.csv', got 'm' in 'm = 1'; there are the columns ")


def test_two_files_of_labels(pets):
    expected = run("compare", "pets.csv", "animal", "cluster").stdout.splitlines()
    lines = run("compare", "truth.txt", "found").stdout.splitlines()
    assert lines[0] == "truth.txt (truth) and found (predicted)"
    assert lines[1:] == expected[1:]
    answer = json.loads(run("compare", "truth.txt", "found", "--json").stdout)
    assert (answer["file"], answer["truth"], answer["predicted"]) == (None, "truth.txt", "found")
    assert answer["scores"] == Comparison(TABLE).scores
    (pets / "found").write_text("1\n2\n")
    assert error("compare", "truth.txt", "found") == (
        "'truth.txt' and 'found' must have one label for each sample, got 15 and 2 labels. "
        "Hint: both must list the same samples in the same order."
    )


def test_standard_input(pets):
    value = f"{chanceless.rand_score(TRUTH, FOUND)!r}\n"
    tabs = (pets / "pets.csv").read_bytes().replace(b",", b"\t")
    for content in ((pets / "pets.csv").read_bytes(), (pets / "pets.parquet").read_bytes(), tabs):
        assert run("compare", "-", "animal", "cluster", "--score", "rand", input=content).stdout == value
    truth, found = ((pets / name).read_bytes() for name in ("truth.txt", "found"))
    assert run("compare", "-", "found", "--score", "rand", input=truth).stdout == value
    assert run("compare", "truth.txt", "-", "--score", "rand", input=found).stdout == value
    first = run("compare", "-", "found", input=truth).stdout.splitlines()[0]
    assert first == "standard input (truth) and found (predicted)"
    first = run("compare", "-", "animal", "cluster", input=tabs).stdout.splitlines()[0]
    assert first == "standard input: animal (truth) and cluster (predicted)"
    assert error("compare", "-", "animal", "x", input=tabs).startswith("standard input must have a column 'x'")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing arguments; expected FILE TRUTH PREDICTED (two columns of a table), TRUTH_FILE PREDICTED_FILE"),
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
        (["found", "pets.csv"], "Missing argument 'PREDICTED': 'pets.csv' is a table"),
        (["pets.csv", "animal", "cluster", "more"], "Got unexpected extra arguments (more); expected"),
        (["day.table", "a", "b"], "'day.table' is a saved table, which needs no columns"),
        (["day.table", "./day.table"], "A saved table is given twice"),
        (["-", "-"], "Only one of the two files can be standard input."),
        (["truth.txt", "found", "--where", "true"], "--where and --weight need the columns of a table, but these"),
        (["truth.txt", "found", "--weight", "n"], "--where and --weight need the columns of a table, but these"),
        ([*COMPARE[1:], "--score", "rand", "--json"], "--score and --json cannot be used together; leave"),
        ([*COMPARE[1:], "--plot-kind", "flow"], "--plot-kind needs --plot, which is not given."),
    ],
)
def test_usage_errors(arguments, message):
    assert usage_error("compare", *arguments).startswith(message)
