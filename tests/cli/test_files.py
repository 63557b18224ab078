"""The command line on files of every format, on several files, and where only scores are wanted."""

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

import chanceless
from chanceless import ContingencyTable
from chanceless.cli import terminal
from chanceless.comparison import Comparison
from tests.cli.terminal import COMPARE, FOUND, TRUTH, error, run, usage_error
from tests.cli.test_completion import complete
from tests.files.columns import json_bytes

COLUMNS = {"animal": TRUTH, "cluster": FOUND}
TABLE = ContingencyTable.from_labels(TRUTH, FOUND)
SCORE = ("animal", "cluster", "--score", "adjusted_mutual_info")
VALUE = f"{chanceless.adjusted_mutual_info_score(TABLE)!r}\n"


@pytest.fixture(autouse=True)
def pets(tmp_path, monkeypatch):
    """Go to a folder with the same table in several formats, in parts, and as arrays."""
    monkeypatch.chdir(tmp_path)
    table = pa.table(COLUMNS)
    (tmp_path / "pets.jsonl").write_bytes(json_bytes(COLUMNS))
    (tmp_path / "pets.csv").write_text(
        "animal,cluster\n" + "".join(f"{a},{c}\n" for a, c in zip(TRUTH, FOUND, strict=True))
    )
    pf.write_feather(table, "pets.feather")
    for year, rows in ((2023, slice(0, 7)), (2024, slice(7, 15))):
        (tmp_path / "days" / f"year={year}").mkdir(parents=True)
        pq.write_table(table[rows], tmp_path / "days" / f"year={year}" / "part-0.parquet")
    np.save("truth.npy", np.array(TRUTH))
    np.save("found.npy", np.array(FOUND))


@pytest.mark.slow
@pytest.mark.parametrize("file", ["pets.jsonl", "pets.feather", "days", "days/*/*.parquet", "pets.js*", "days/year=*"])
def test_files(file):
    assert run("compare", file, *SCORE).stdout == VALUE
    assert run("compare", file, *SCORE, "--scores-only").stdout == VALUE
    first = run("compare", file, "animal", "cluster").stdout.splitlines()[0]
    assert first == f"{file}: animal (truth) and cluster (predicted)"
    answer = json.loads(run("matrix", file, "animal", "cluster", "--json").stdout)
    assert answer["scores"]["adjusted_mutual_info"][0][1] == float(VALUE)
    if not file.endswith("*"):
        names = ["animal", "cluster"] + ["year"] * file.startswith("days")
        assert complete(f"chanceless compare {file} ") == [("plain", name) for name in names]
    if file in ("pets.jsonl", "pets.feather"):
        assert run("compare", "-", *SCORE, input=Path(file).read_bytes()).stdout == VALUE


def test_names_of_folders_are_columns():
    answer = json.loads(run("compare", "days", "year", "animal", "--json", "--clusters").stdout)
    assert (answer["n_clusters_true"], answer["n_samples"]) == (2, 15)
    assert [cluster["label"] for cluster in answer["clusters"]["true_clusters"]] == [2023, 2024]
    assert "7 samples," in run("compare", "days", "animal", "cluster", "--where", "year = 2023").stdout


def test_arrays():
    score = ("--score", "adjusted_mutual_info")
    assert run("compare", "truth.npy", "found.npy", *score).stdout == VALUE
    assert run("compare", "truth.npy", "found.npy", "--scores-only", *score).stdout == VALUE
    noise = ("--noise", "3", "--noise-as", "drop")
    assert "12 samples (3 dropped)" in run("compare", "truth.npy", "found.npy", *noise).stdout


def lines_to(lines, start):
    return next(place for place, line in enumerate(lines) if line.startswith(start))


def test_scores_only():
    whole, scores = (run(*COMPARE, *option).stdout.splitlines() for option in ((), ("--scores-only",)))
    verdicts = slice(lines_to(whole, "true clusters: "), lines_to(whole, "adjusted for chance"))
    del whole[verdicts]
    sure = lines_to(scores, "how sure: ")
    assert whole[:sure] == scores[:sure]
    # intervals need the cells, p-values do not
    assert scores[sure] == "how sure: chance that random labels score as well"
    numbers = [[line.split()[-3:] for line in lines[sure + 1 : sure + 3]] for lines in (whole, scores)]
    assert numbers[0] == numbers[1]
    assert len(whole) == len(scores)
    answer = json.loads(run(*COMPARE, "--scores-only", "--json").stdout)
    assert answer["scores"] == Comparison(TABLE).scores
    assert (answer["n_samples"], answer["n_cells"], answer["n_dropped"]) == (15, len(TABLE.counts), 0)
    assert "clusters" not in answer
    assert "12 samples (3 dropped)" in run(*COMPARE, "--scores-only", "--noise", "3", "--noise-as", "drop").stdout
    limited = ("compare", "days", *SCORE, "--memory-limit")
    assert run(*limited, "500MB").stdout == run(*limited, "500MB", "--scores-only").stdout == VALUE
    assert error(*limited, "x", code=2).startswith("--memory-limit must be a size such as")
    message = "--plot and --scores-only cannot be used together; leave one of them out."
    assert message in usage_error(*COMPARE, "--scores-only", "--plot", "x.png")


def test_patterns_that_the_shell_replaced():
    message = usage_error("compare", "pets.csv", "pets.jsonl", "animal", "cluster")
    assert message == (
        "'pets.csv' and 'pets.jsonl' are tables; expected TRUTH_FILE PREDICTED_FILE TRUTH PREDICTED --on COLUMN to "
        "compare columns of both. Hint: quote a pattern for several files: 'day-*.parquet'."
    )
    message = usage_error("compare", "pets.csv", "pets.jsonl", "pets.csv", "animal", "cluster")
    assert message.startswith("Got unexpected extra arguments (animal cluster); expected FILE TRUTH PREDICTED")
    assert message.endswith("Hint: quote a pattern for several files: 'day-*.parquet'.")
    assert "Hint" not in usage_error("compare", "pets.csv", "animal", "cluster", "more")
    assert usage_error("compare", "days", "animal").startswith("Missing argument 'PREDICTED': 'days' is a table")


def test_long_reads_show_a_bar(monkeypatch, capsys):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with terminal.working("Reading") as progress:
        progress(0.1)
        assert capsys.readouterr().err == ""  # soon done
        monkeypatch.setattr(terminal, "_SECONDS_BEFORE", 0)
        progress(0.25)
    shown = capsys.readouterr().err
    assert "Reading" in shown
    assert " 25%" in shown
    assert shown.endswith("\x1b[1A\x1b[2K")  # and it is gone
    monkeypatch.undo()
    with terminal.working("Reading") as progress:
        assert progress is None
