"""The command line: what it prints, for people and for programs, and how it ends."""

import json
import subprocess
import sys
from importlib import resources

import pytest
from click.testing import CliRunner

import chanceless
from chanceless import ContingencyTable
from chanceless.cli.app import app
from chanceless.catalog import GROUPS, compute_all

TRUTH = ["cat"] * 6 + ["dog"] * 5 + ["owl"] * 4
FOUND = [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 1, 3, 3, 3, 2]
TABLE = ContingencyTable.from_labels(TRUTH, FOUND)
NAMES = [
    "adjusted_mutual_info",
    "pairwise_adjusted_mutual_info",
    "adjusted_rand",
    "normalized_mutual_info",
    "homogeneity",
    "completeness",
    "v_measure",
    "rand",
    "fowlkes_mallows",
    "mutual_info",
    "variation_of_information",
    "adjusted_mutual_info_nats",
    "pairwise_adjusted_mutual_info_nats",
]


@pytest.fixture
def pets(tmp_path, monkeypatch):
    """Go to a folder with a table, and return the name of its file."""
    rows = [f"{animal},{cluster}" for animal, cluster in zip(TRUTH, FOUND, strict=True)]
    (tmp_path / "pets.csv").write_text("\n".join(["animal,cluster", *rows]))
    monkeypatch.chdir(tmp_path)
    return "pets.csv"


def run(*arguments, code=0):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == code, result.output
    return result


def run_in_a_process(program, *arguments, **options):
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


MAIN = "from chanceless.cli import main; main()"


def test_scores_are_those_of_the_library():
    scores = compute_all(TABLE.spectrum())
    assert list(scores) == NAMES
    for name in ("adjusted_mutual_info", "pairwise_adjusted_mutual_info"):
        in_nats = getattr(chanceless, f"{name}_score")(TRUTH, FOUND, average_method="none")
        assert scores.pop(f"{name}_nats") == in_nats
    for name, value in scores.items():
        assert value == getattr(chanceless, f"{name}_score")(TRUTH, FOUND)
        assert value == getattr(chanceless, name)(TABLE)


def test_meanings_fit_into_a_line():
    every = [score for group in GROUPS.values() for score in group]
    assert all(0 < len(score.meaning) <= 30 for score in every)
    assert all(len(title) < 80 for title in GROUPS)


def test_compare_for_people(pets):
    lines = run("compare", pets, "animal", "cluster").stdout.splitlines()
    assert lines[:2] == [
        "pets.csv: animal (truth) and cluster (predicted)",
        "15 samples, 3 x 4 clusters, 6 non-empty cells",
    ]
    assert [line.split()[0] for line in lines if line.split()[:1] and line.split()[0] in NAMES] == NAMES
    fields = [line.split(maxsplit=2) for line in lines]
    value = chanceless.adjusted_rand_score(TRUTH, FOUND)
    assert ["adjusted_rand", f"{value:.6f}", "pairs of samples agreed on"] in fields
    value = chanceless.mutual_info_score(TRUTH, FOUND)
    assert ["mutual_info", f"{value:.6g}", "what one tells about the other"] in fields
    titles = [line.split(":")[0] for line, before in zip(lines[1:], lines, strict=False) if not before]
    assert titles == ["adjusted for chance", "not adjusted for chance", "in nats, not normalised"]


@pytest.mark.parametrize("width", ["40", "80", "120"])
def test_piped_output_is_plain(pets, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", width)
    text = run("compare", pets, "animal", "cluster").stdout
    monkeypatch.setenv("COLUMNS", "80")
    assert text == run("compare", pets, "animal", "cluster").stdout
    assert text.isascii()
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert all(line == line.rstrip() for line in text.splitlines())


def test_terminal_output_has_no_colour(pets, monkeypatch):
    plain = run("compare", pets, "animal", "cluster").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    text = CliRunner().invoke(app, ["compare", pets, "animal", "cluster"], color=True).stdout
    assert "\x1b[1m" in text
    assert text.replace("\x1b[1m", "").replace("\x1b[0m", "") == plain


def test_compare_for_programs(pets):
    answer = json.loads(run("compare", pets, "animal", "cluster", "--json").stdout)
    assert answer == {
        "file": "pets.csv",
        "truth": "animal",
        "predicted": "cluster",
        "n_samples": 15,
        "n_clusters_true": 3,
        "n_clusters_pred": 4,
        "n_cells": 6,
        "scores": compute_all(TABLE.spectrum()),
    }
    assert list(answer["scores"]) == NAMES


@pytest.mark.parametrize("name", ["we[bold]ird[red].csv", ":smile:.csv", "a" * 200 + ".csv", "é.csv", "a b  c.csv"])
def test_file_names_are_shown_as_they_are(pets, name, tmp_path):
    (tmp_path / pets).rename(tmp_path / name)
    first = run("compare", name, "animal", "cluster").stdout.splitlines()[0]
    assert first == f"{name}: animal (truth) and cluster (predicted)"
    assert json.loads(run("compare", name, "animal", "cluster", "--json").stdout)["file"] == name


def test_control_characters_do_not_reach_the_terminal(pets, tmp_path):
    (tmp_path / pets).rename(tmp_path / "a\x1b[31m\n.csv")
    first = run("compare", "a\x1b[31m\n.csv", "animal", "cluster").stdout.splitlines()[0]
    assert first == r"a\x1b[31m\n.csv: animal (truth) and cluster (predicted)"
    error = run("compare", "a\x1b[31m\n.csv", "x", "cluster", code=1).stderr
    assert error.startswith(r"Error: 'a\x1b[31m\n.csv' has no column 'x'.")


def test_output_that_knows_no_accents(pets, tmp_path):
    (tmp_path / pets).rename(tmp_path / "é.csv")
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"}
    result = run_in_a_process(MAIN, "compare", "é.csv", "animal", "cluster", env=environment)
    assert result.stdout.startswith(r"\xe9.csv: animal (truth)"), result.stderr


def test_no_rows(pets, tmp_path):
    (tmp_path / pets).write_text("animal,cluster\n")
    answer = json.loads(run("compare", pets, "animal", "cluster", "--json").stdout)
    assert answer["n_samples"] == 0
    assert answer["scores"] == compute_all(ContingencyTable.from_labels([], []).spectrum())
    assert "0 samples, 0 x 0 clusters" in run("compare", pets, "animal", "cluster").stdout


def test_errors_are_one_line(pets):
    result = run("compare", pets, "Animal", "cluster", code=1)
    assert result.stdout == ""
    assert result.stderr == (
        "Error: 'pets.csv' has no column 'Animal'. Its columns are 'animal', 'cluster'. Hint: did you mean 'animal'?\n"
    )
    result = run("compare", "nowhere.csv", "animal", "cluster", code=1)
    assert result.stderr == (
        "Error: There is no file 'nowhere.csv'. Hint: check its spelling and the folder you are in.\n"
    )


def test_missing_labels_are_an_error(pets, tmp_path):
    (tmp_path / pets).write_text("animal,cluster\ncat,\ndog,1\n")
    result = run("compare", pets, "animal", "cluster", "--json", code=1)
    assert result.stdout == ""
    assert result.stderr.startswith("Error: column 'cluster' of 'pets.csv' needs a label in every row, but it is")
    assert result.stderr.count("\n") == 1


def test_warnings_are_one_line(pets, tmp_path):
    (tmp_path / pets).write_text("animal,cluster\ncat,NA\ndog,1\n")
    result = run("compare", pets, "animal", "cluster", "--json")
    assert json.loads(result.stdout)["n_clusters_pred"] == 2
    assert result.stderr.startswith("Warning: column 'cluster' of 'pets.csv' has the label 'NA' in 1 of 2 rows;")
    assert result.stderr.count("\n") == 1


def test_debug_shows_the_traceback(pets):
    result = run_in_a_process(MAIN, "--debug", "compare", pets, "x", "cluster")
    assert result.returncode == 1
    assert result.stderr.startswith("Traceback")
    assert "chanceless.errors.TableError: 'pets.csv' has no column 'x'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "pets.csv", "animal"], "Error: Missing argument 'PREDICTED'."),
        (["compare", "pets.csv", "animal", "cluster", "more"], "Error: Got unexpected extra argument (more)"),
        (["compare", "--jsn"], "Error: No such option"),
        (["compar"], "Error: No such command 'compar'."),
    ],
)
def test_usage_errors(arguments, message):
    result = run(*arguments, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("Usage: ")
    assert message in result.stderr


def test_interrupted(pets, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("chanceless.files.read_table", interrupt)
    result = run("compare", pets, "animal", "cluster", code=130)
    assert (result.stdout, result.stderr) == ("", "Interrupted.\n")


def test_without_duckdb(pets, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    result = run("compare", pets, "animal", "cluster", code=1)
    assert result.stderr == (
        'Error: Reading files needs DuckDB, which is not installed. Hint: pip install "chanceless[cli]"\n'
    )


@pytest.mark.parametrize("absent", ["click", "rich"])
def test_without_the_extra(absent):
    result = run_in_a_process(f"import sys; sys.modules[{absent!r}] = None; {MAIN}", "demo")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == 'chanceless\'s command line needs its extra: pip install "chanceless[cli]"\n'


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["compare", "--help"]])
def test_help_and_version_import_little(arguments):
    program = f"import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); {MAIN}"
    result = run_in_a_process(program, *arguments)
    assert result.returncode == 0
    loaded = set(result.stderr.split())
    assert "click" in loaded
    assert not loaded & {"duckdb", "_duckdb", "pandas", "pyarrow", "rich.console", "chanceless.files"}


def test_version():
    assert run("--version").stdout == f"app {chanceless.__version__}\n"
    assert run_in_a_process(MAIN, "--version").stdout == f"chanceless {chanceless.__version__}\n"


def test_help_shows_an_example():
    for arguments in (["--help"], ["compare", "-h"]):
        text = run(*arguments).stdout
        assert "Example: chanceless compare cells.csv cell_type cluster" in text
        assert max(map(len, text.splitlines())) <= 80


def test_demo_is_the_comparison_that_it_names():
    lines = run("demo").stdout.splitlines(keepends=True)
    path = str(resources.files("chanceless.cli") / "example.csv")
    assert "made up" in lines[0]
    assert lines[1].split()[:3] == ["$", "chanceless", "compare"]
    assert lines[1].split()[-2:] == ["cell_type", "cluster"]
    assert "".join(lines[3:-2]) == run("compare", path, "cell_type", "cluster").stdout
    assert "chanceless compare FILE TRUTH PREDICTED" in lines[-1]


def test_example_is_imperfect_as_it_should_be():
    path = str(resources.files("chanceless.cli") / "example.csv")
    table = chanceless.files.read_table(path, "cell_type", "cluster")
    shares = {name: row / row.sum() for name, row in zip(table.row_labels, table.to_dense(), strict=True)}
    assert sorted(shares["T cell"])[-2] > 0.3
    merged = table.column_labels.tolist().index("c4")
    assert min(shares["monocyte"][merged], shares["dendritic cell"][merged]) > 0.3
    assert 0.5 < chanceless.pairwise_adjusted_mutual_info(table) < 0.9


def test_a_whole_run_in_a_process(pets):
    result = run_in_a_process(MAIN, "compare", pets, "animal", "cluster")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == run("compare", pets, "animal", "cluster").stdout


def test_a_reader_that_leaves_early():
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    process.wait(timeout=60)
