"""Completion by the shell: commands, options, files, columns of the file that is named, and scores."""

import shutil
import subprocess
import sys

import pytest

from chanceless.catalog import BY_NAME
from tests.cli.terminal import MAIN, run, run_in_a_process

CONTENT = "cell type,cluster,über,a:b\nx,1,2,3\n".encode()


def complete(line, shell="zsh"):
    """What the program answers a shell at the end of a line, by kind."""
    words = line.split(" ")
    environment = {
        "_CHANCELESS_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": words[-1] if shell == "fish" else str(len(words) - 1),
    }
    text = run(env=environment).stdout
    if not text.strip():
        return []
    if shell == "zsh":
        lines = text.splitlines()
        return list(zip(lines[::3], lines[1::3], strict=True))
    return [tuple(line.split("\t")[0].split(",", 1)) for line in text.splitlines()]


@pytest.fixture(autouse=True)
def cells(write, tmp_path, monkeypatch):
    write(CONTENT, "cells.csv")
    write(b"a\n", "labels.txt")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(shell):
    script = run("completion", shell).stdout
    assert f"_CHANCELESS_COMPLETE={shell}_complete" in script
    if shell == "bash" and shutil.which("bash"):
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


COMPLETED = {
    "chanceless co": ["compare", "completion"],
    "chanceless compare --mi": ["--missing"],
    "chanceless compare x y --missing d": ["drop"],
    "chanceless compare cells.csv cluster cl": ["cluster"],
    "chanceless compare cells.csv --weight cl": ["cluster"],
    "chanceless compare cells.csv --where cl": ["cluster"],
    "chanceless matrix cells.csv --reference ü": ["über"],
    "chanceless matrix cells.csv --score va": ["variation_of_information"],
    "chanceless compare cells.csv a b --score ": [*BY_NAME],
    "chanceless matrix cells.csv ": ["cell type", "cluster", "über", "a:b"],
    "chanceless report cells.csv ": ["cell type", "cluster", "über", "a:b"],
}


@pytest.mark.parametrize("line", COMPLETED)
def test_words(line):
    assert complete(line) == [("plain", word) for word in COMPLETED[line]]


def test_columns_of_two_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.csv").write_text("barcode,kind\n")
    (tmp_path / "two.csv").write_text("cell,leiden\n")
    assert complete("chanceless compare one.csv two.csv ") == [("plain", "barcode"), ("plain", "kind")]
    assert complete("chanceless compare one.csv two.csv kind ") == [("plain", "cell"), ("plain", "leiden")]
    assert complete("chanceless compare one.csv two.csv kind leiden --on b") == [("plain", "barcode")]
    assert complete("chanceless compare --on barcode one.csv tw")[0][0] == "file"


def test_bash_gets_words_that_it_can_put_on_the_line():
    assert complete("chanceless compare cells.csv ce", "bash") == [("plain", "'cell type'")]
    assert complete("chanceless compare cells.csv cl", "bash") == [("plain", "cluster")]
    assert complete("chanceless compare cells.csv ce", "fish") == [("plain", "cell type")]


def test_files():
    for line in ("chanceless compare ", "chanceless matrix ce", "chanceless compare labels.txt "):
        assert complete(line) == [("file", line.split(" ")[-1])] or complete(line) == [("file", "")]
    assert [kind for kind, _ in complete("chanceless compare cells.csv a b --plot ")] == ["file"]


@pytest.mark.parametrize("name", ["nowhere.csv", "broken.csv", "broken.parquet", "broken.csv.gz"])
def test_nothing_is_said_where_nothing_is_known(write, name):
    if name.startswith("broken"):
        write(b"\xff\x00\x01", name)
    assert complete(f"chanceless compare {name} a") == []


def test_completing_columns_needs_no_numpy():
    program = f"import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); {MAIN}"
    environment = {
        "_CHANCELESS_COMPLETE": "zsh_complete",
        "COMP_WORDS": "chanceless compare cells.csv ",
        "COMP_CWORD": "3",
    }
    # by its real name, from which click makes that of the variable
    program = f"import sys; sys.argv[0] = 'chanceless'; {program}"
    result = run_in_a_process(program, env={**environment, "PATH": "", "PYTHONPATH": ":".join(sys.path)})
    assert "cell type" in result.stdout
    assert not set(result.stderr.split()) & {"numpy", "duckdb", "rich.console"}
