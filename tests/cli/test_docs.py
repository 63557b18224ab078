"""All pages show what the command line prints, and every command of theirs runs."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from importlib import resources
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from chanceless.cli.app import app
from chanceless.files import read_table
from tests.cli.terminal import run
from tests.docs.fences import FENCES, ROOT, SCRIPTS
from tests.pets import csv_bytes

COMMAND_LINE = (ROOT / "docs" / "reference" / "command-line.md").read_text()
SHOWN = [
    (fence.page, command, output)
    for fence in FENCES
    if not fence.language
    for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", fence.text.replace("\\\n", ""), re.MULTILINE)
]
CUTS = {"": slice(None), "head -2": slice(2)}


def ends_with(output):
    """Return the exit code of a command that prints this."""
    return next(
        (code for start, code in {"Error: --": 2, "Error": 1, "Failed": 3}.items() if output.startswith(start)), 0
    )


@pytest.fixture
def cells(tmp_path, monkeypatch):
    """Change to a folder with the files that the pages use."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(str(resources.files("chanceless.cli") / "example.csv"), "cells.csv")
    rows = [line.split(",") for line in Path("cells.csv").read_text(encoding="utf-8").splitlines()[1:]]
    Path("truth.txt").write_text("".join(f"{row[1]}\n" for row in rows), encoding="utf-8")
    Path("found.txt").write_text("".join(f"{row[2]}\n" for row in rows), encoding="utf-8")
    table = read_table("cells.csv", "cell_type", "cluster")
    labels = table.row_labels[table.rows], table.column_labels[table.columns]
    counts = csv_bytes(dict(zip(("cell_type", "cluster", "n"), (*labels, table.counts), strict=True)))
    Path("counts.csv").write_bytes(counts)
    clusters = [f"{row[0]},{row[2]}\n" for row in rows[:190]]
    Path("clusters.csv").write_text("cell,cluster\n" + "".join(reversed(clusters)), encoding="utf-8")
    _, types, found = zip(*rows, strict=True)
    pq.write_table(pa.table({"cell_type": types, "cluster": found}), "cells.parquet")
    seeds = {
        f"seed_{seed}": [int(label[1:]) - 2 * (i % 9 < seed) for i, label in enumerate(found)] for seed in (1, 2, 3)
    }
    runs = pa.table({"cell_type": types, **seeds})
    pq.write_table(runs, "runs.parquet")
    pyarrow.csv.write_csv(runs, "runs.csv")


@pytest.mark.slow
@pytest.mark.usefixtures("cells")
@pytest.mark.parametrize(("page", "command", "output"), SHOWN, ids=[f"{page}: {command}" for page, command, _ in SHOWN])
def test_what_is_shown_is_what_is_printed(page, command, output):
    """Messages are wrapped as in a terminal of 80 columns."""
    assert page
    if command.startswith("head"):
        assert Path("counts.csv").read_text(encoding="utf-8").startswith(output)
        return
    content = Path("cells.csv").read_bytes() if command.startswith("cat cells.csv | ") else None
    arguments = command.removeprefix("cat cells.csv | ").replace("<(tail -n +2 cells.csv | cut -d, -f3)", "found.txt")
    arguments, _, cut = arguments.partition(" | ")
    result = run(*shlex.split(arguments)[1:], code=ends_with(output), input=content)
    wrapped = [part for line in result.stderr.splitlines() for part in textwrap.wrap(line, 80, break_on_hyphens=False)]
    printed = [*wrapped, *result.stdout.splitlines()]
    assert printed[CUTS[cut]] == output.splitlines()


# a block has several commands, each a process that imports and draws
@pytest.mark.slow
@pytest.mark.usefixtures("cells")
@pytest.mark.parametrize("script", SCRIPTS, ids=[f"{script.page}: {script.first_line}" for script in SCRIPTS])
def test_commands_run(script):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", "-euo", "pipefail", "-c", script.text]
    done = subprocess.run(
        command, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    written = re.findall(r"(?:--plot|>) ([\w.]+)", script.text)
    assert done.stdout or all(Path(name).stat().st_size for name in written)


def test_something_is_shown():
    assert len(SHOWN) >= 12
    assert len(SCRIPTS) >= 3
    assert all(f"chanceless {name}" in COMMAND_LINE for name in app.commands)


def test_options_that_are_named_exist():
    commands = app, *app.commands.values()
    known = {
        option for command in commands for param in command.params for option in (*param.opts, *param.secondary_opts)
    }
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", COMMAND_LINE)) <= {*known, "--help"}
