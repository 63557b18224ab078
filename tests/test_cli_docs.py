"""docs/command-line.md and README.md show what the command line prints."""

import re
import runpy
import shlex
import shutil
from importlib import resources
from pathlib import Path

import pytest

from chanceless.cli.app import app
from chanceless.files import read_table
from pets import csv_bytes
from terminal import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
TEXT = (ROOT / "docs" / "command-line.md").read_text()
SHOWN = [
    (command, output)
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", README + TEXT, re.MULTILINE | re.DOTALL)
    if not language
    for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]
CUTS = {"": slice(None), "head -2": slice(2), "tail -7": slice(-7, None)}


@pytest.fixture
def cells(tmp_path, monkeypatch):
    """Change to a folder with the files that the page uses."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(str(resources.files("chanceless.cli") / "example.csv"), "cells.csv")
    rows = [line.split(",") for line in Path("cells.csv").read_text().splitlines()[1:]]
    Path("truth.txt").write_text("".join(f"{row[1]}\n" for row in rows))
    Path("found.txt").write_text("".join(f"{row[2]}\n" for row in rows))
    table = read_table("cells.csv", "cell_type", "cluster")
    labels = table.row_labels[table.rows], table.column_labels[table.columns]
    counts = csv_bytes(dict(zip(("cell_type", "cluster", "n"), (*labels, table.counts), strict=True)))
    Path("counts.csv").write_bytes(counts)
    clusters = [f"{row[0]},{row[2]}\n" for row in rows[:190]]
    Path("clusters.csv").write_text("cell,cluster\n" + "".join(reversed(clusters)))


@pytest.mark.usefixtures("cells")
@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_what_is_shown_is_what_is_printed(command, output):
    if command.startswith("head"):
        assert Path("counts.csv").read_text().startswith(output)
        return
    content = Path("cells.csv").read_bytes() if command.startswith("cat cells.csv | ") else None
    arguments = command.removeprefix("cat cells.csv | ").replace("<(tail -n +2 cells.csv | cut -d, -f3)", "found.txt")
    arguments, _, cut = arguments.partition(" | ")
    result = run(
        *shlex.split(arguments)[1:], code=output.startswith("Error") + output.startswith("Error: --"), input=content
    )
    printed = (result.stderr + result.stdout).splitlines(keepends=True)
    assert "".join(printed[CUTS[cut]]) == output


def test_something_is_shown():
    assert len(SHOWN) >= 12
    assert all(f"chanceless {name}" in TEXT for name in app.commands)


def test_options_that_are_named_exist():
    commands = app, *app.commands.values()
    known = {
        option for command in commands for param in command.params for option in (*param.opts, *param.secondary_opts)
    }
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", TEXT)) <= {*known, "--help"}


def test_help_texts_are_up_to_date():
    render = runpy.run_path(str(ROOT / "docs" / "make_command_line.py"))["render"]
    assert render(TEXT) == TEXT, "run python docs/make_command_line.py"
