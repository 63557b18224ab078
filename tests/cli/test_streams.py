"""Disks that are full, streams that are closed, and signals: one line, an exit code, and nothing left behind."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from tests.cli.terminal import MAIN, run_in_a_process
from tests.fuzz import inputs

pytestmark = [pytest.mark.linux, pytest.mark.slow]
resource = pytest.importorskip("resource")

PETS = "animal,cluster\ncat,1\ncat,1\ndog,1\n"
COMPARE = ("compare", "pets.csv", "animal", "cluster")
MATRIX = ("matrix", "pets.csv", "animal", "cluster")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    Path("pets.csv").write_text(PETS + PETS.split("\n", 1)[1], encoding="utf-8")  # two samples a cluster: no warning
    Path("labels.txt").write_text("a\nb\n", encoding="utf-8")
    return tmp_path


def in_shell(redirection, *arguments):
    """Run a command with its streams redirected by a shell; return its exit code and what it says."""
    command = ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-c", MAIN, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stderr


FULL, CLOSED = "standard output cannot be written: No space left on device", "standard output is closed"
UNREADABLE = "standard input is closed"
REDIRECTED = [
    ("> /dev/full", COMPARE, FULL),
    ("> /dev/full", (*COMPARE, "--json"), FULL),
    ("> /dev/full", (*MATRIX, "--csv"), FULL),
    ("> /dev/full", ("--help",), FULL),
    (">&-", COMPARE, CLOSED),
    (">&-", ("--version",), CLOSED),
    ("<&-", ("compare", "-", "a", "b"), UNREADABLE),
    ("<&-", ("compare", "-", "labels.txt"), UNREADABLE),
    ("<&-", ("matrix", "-"), UNREADABLE),
]


@pytest.mark.parametrize(("redirection", "arguments", "error"), REDIRECTED)
def test_full_disks_and_closed_streams(redirection, arguments, error):
    code, said = in_shell(redirection, *arguments)
    assert (code, said.splitlines()[-1]) == (1, f"Error: {error}.")


def test_closed_or_full_standard_error():
    assert in_shell("2>&-", *COMPARE) == (0, "")
    assert in_shell("2>/dev/full", "compare", "nowhere.csv", "a", "b") == (1, "")


def limited(size):
    """Let no file of a process grow beyond this size, like a disk that is full."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_picture_on_a_full_disk(folder):
    command = [sys.executable, "-c", MAIN, *COMPARE, "--score", "rand", "--plot", "full.png"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limited(2**10))
    said = "Error: --plot must be a file that can be written, got 'full.png': File too large."
    assert (ended.returncode, ended.stderr.splitlines()[-1].partition(" Hint")[0]) == (1, said)
    assert not [path for path in folder.iterdir() if path.name not in {"pets.csv", "labels.txt", "temporary"}]


UNBUFFERED = """
import io, os, sys
class Reluctant(io.RawIOBase):
    def writable(self):
        return True
    def write(self, data):
        return os.write(1, data[:50])  # as the system takes at most 2 GiB at once
sys.stdout = sys.__stdout__ = io.TextIOWrapper(Reluctant(), write_through=True)  # as it is with PYTHONUNBUFFERED
from chanceless.cli import main; main()
"""


@pytest.mark.parametrize("arguments", [(*COMPARE, "--json", "--clusters"), (*MATRIX, "--json"), (*MATRIX, "--csv")])
def test_output_that_is_taken_in_parts_is_complete(arguments):
    expected = run_in_a_process(MAIN, *arguments)
    assert len(expected.stdout) > 50
    assert run_in_a_process(UNBUFFERED, *arguments).stdout == expected.stdout


@pytest.mark.parametrize(
    ("name", "options"),
    [("cells.parquet", ("--memory-limit", "60MB")), ("cells.csv.gz", ()), ("-", ())],
    ids=["spilled", "packed", "standard input"],
)
def test_a_full_temporary_directory(folder, name, options):
    copied = "cells.parquet" if name == "-" else name
    rows = "select i as a, -i as b from range(1000000) as t(i)"
    duckdb.connect().execute(f"copy ({rows}) to '{copied}'")
    ended = subprocess.run(
        [sys.executable, "-c", MAIN, "compare", name, "a", "b", "--scores-only", *options],
        capture_output=True,
        check=False,
        input=Path(copied).read_bytes(),
        preexec_fn=limited(2**20),
    )
    shown = "standard input" if name == "-" else repr(name)
    expected = f"{shown} must fit into the temporary directory while it is read. Hint: set TMPDIR to a larger disk."
    assert (ended.returncode, ended.stderr.decode()) == (1, f"Error: {expected}\n")
    assert not list((folder / "temporary").iterdir())


COMMAND = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {MAIN}"


@pytest.mark.parametrize(
    ("command", "number", "ended"),
    [("compare", signal.SIGINT, (130, "Interrupted.\n")), ("matrix", signal.SIGTERM, (143, "Terminated.\n"))],
)
def test_signals(folder, command, number, ended):
    """Files that are packed are staged, and reading so many takes long."""
    rows = "select hash(i) % 90 as a, hash(-i) % 90 as b from range(1000000) as t(i)"
    duckdb.connect().execute(f"copy ({rows}) to 'part-0.csv.gz' (header)")
    for part in range(1, 20):
        Path(f"part-{part}.csv.gz").hardlink_to("part-0.csv.gz")
    arguments = [sys.executable, "-c", COMMAND, command, "part-*.csv.gz", "a", "b"]
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not any(Path("temporary").glob("*/*")) and time.monotonic() < deadline:  # files in it are not staged ones
        time.sleep(0.01)
    process.send_signal(number)
    try:
        said = process.communicate(timeout=60)[1]
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, said) == ended
    assert not list((folder / "temporary").iterdir())


IMPORTED = """
import signal, sys
from chanceless import cli
def interrupted(*_):
    try:
        signal.raise_signal(signal.SIGTERM)
    except SystemExit as end:
        raise ImportError("a module makes an error of its own of it") from end
cli._run = interrupted
cli.main()
"""


def test_errors_of_interrupted_modules():
    ended = run_in_a_process(IMPORTED)
    assert (ended.returncode, ended.stderr) == (143, "Terminated.\n")


INTERRUPTED = """
import random, signal, sys, time
from chanceless.files import read_labellings, read_spectrum, read_table
signal.signal(signal.SIGALRM, signal.default_int_handler)
path, number = sys.argv[1], int(sys.argv[2])
reads = [
    lambda: read_table(path, "animal", "cluster", where="cluster > 0"),
    lambda: read_spectrum(path, "animal", "cluster"),
    lambda: read_labellings(path, where="animal <> 'x'"),
]
for read in reads * 2:  # the first imports; modules that are interrupted while they are imported raise errors
    started = time.monotonic()
    read()
seconds = 1.5 * (time.monotonic() - started)
ended = dict.fromkeys(("read", "interrupted"), 0)
for seed in range(number):
    draw = random.Random(seed)
    try:
        signal.setitimer(signal.ITIMER_REAL, draw.uniform(0.0001, seconds))
        draw.choice(reads)()
        signal.setitimer(signal.ITIMER_REAL, 0)
        ended["read"] += 1
    except KeyboardInterrupt:
        ended["interrupted"] += 1
    except BaseException as error:
        sys.exit(f"{seed}: {error!r}")
print(ended["interrupted"])
"""


@pytest.mark.nightly
def test_ctrl_c_during_short_queries(folder):
    """Every interrupt is a KeyboardInterrupt, wherever it comes; DuckDB makes no error of its own of it."""
    command = [sys.executable, "-c", INTERRUPTED, "pets.csv", str(len(inputs(200)))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert int(ended.stdout) > len(inputs(20))
    assert not list((folder / "temporary").iterdir())
