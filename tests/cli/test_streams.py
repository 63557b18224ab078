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

pytestmark = pytest.mark.linux
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


@pytest.mark.parametrize(
    "arguments", [COMPARE, (*COMPARE, "--json"), (*MATRIX, "--csv"), MATRIX, ("--help",)], ids=" ".join
)
def test_a_full_disk(arguments):
    full = "Error: standard output cannot be written: No space left on device.\n"
    assert in_shell("> /dev/full", *arguments) == (1, full)


def test_a_picture_on_a_full_disk():
    Path("full.png").symlink_to("/dev/full")
    code, said = in_shell("", *COMPARE, "--plot", "full.png")
    assert (code, said.splitlines()[-1]) == (1, "Error: 'full.png' cannot be written: No space left on device.")


@pytest.mark.parametrize("arguments", [COMPARE, ("--version",)], ids=" ".join)
def test_closed_standard_output(arguments):
    assert in_shell(">&-", *arguments) == (1, "Error: standard output is closed.\n")


@pytest.mark.parametrize(
    "arguments", [("compare", "-", "a", "b"), ("compare", "-", "labels.txt"), ("matrix", "-")], ids=" ".join
)
def test_closed_standard_input(arguments):
    assert in_shell("<&-", *arguments) == (1, "Error: standard input is closed.\n")


def test_closed_or_full_standard_error():
    for redirection in ("2>&-", "2>/dev/full"):
        assert in_shell(redirection, *COMPARE) == (0, "")
        assert in_shell(redirection, "compare", "nowhere.csv", "a", "b")[0] == 1


def limited(size):
    """Let no file of a process grow beyond this size, like a disk that is full."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("source", ["spilled", "standard input", "packed"])
def test_a_full_temporary_directory(folder, source):
    rows = "select i as a, -i as b from range(1000000) as t(i)"
    with duckdb.connect() as connection:
        connection.execute(f"copy ({rows}) to 'cells.parquet'")
        connection.execute(f"copy ({rows}) to 'cells.csv.gz' (header)")
    name, options = {"spilled": ("cells.parquet", ("--memory-limit", "60MB")), "packed": ("cells.csv.gz", ())}.get(
        source, ("-", ())
    )
    ended = subprocess.run(
        [sys.executable, "-c", MAIN, "compare", name, "a", "b", "--scores-only", *options],
        capture_output=True,
        check=False,
        input=Path("cells.parquet").read_bytes(),
        preexec_fn=limited(2**20),
    )
    shown = "standard input" if name == "-" else repr(name)
    expected = (
        f"Error: {shown} must fit into the temporary directory while it is read. Hint: set TMPDIR to a larger disk.\n"
    )
    assert (ended.returncode, ended.stderr.decode()) == (1, expected)
    assert not list((folder / "temporary").iterdir())


def signalled(number, *arguments):
    """Run a command and send it a signal while it reads; return its exit code and what it says."""
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not any(path.is_file() for path in Path("temporary").rglob("*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(number)
    try:
        said = process.communicate(timeout=60)[1]
    finally:
        process.kill()
        process.communicate()
    return process.returncode, said


COMMAND = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {MAIN}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [("compare", "LONG", "a", "b"), ("compare", "LONG", "a", "b", "--scores-only"), ("matrix", "LONG", "a", "b")],
    ids=["table", "spectrum", "matrix"],
)
def test_signals(folder, arguments):
    """Files that are packed are staged, and reading so many takes long."""
    with duckdb.connect() as connection:
        rows = "select hash(i) % 90 as a, hash(-i) % 90 as b from range(1000000) as t(i)"
        connection.execute(f"copy ({rows}) to 'part-0.csv.gz' (header)")
    for number in range(1, 20):
        Path(f"part-{number}.csv.gz").hardlink_to("part-0.csv.gz")
    given = ["part-*.csv.gz" if word == "LONG" else word for word in arguments]
    for number, expected in {signal.SIGINT: (130, "Interrupted.\n"), signal.SIGTERM: (143, "Terminated.\n")}.items():
        assert signalled(number, *given) == expected
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


@pytest.mark.slow
def test_ctrl_c_during_short_queries(folder):
    """Every interrupt is a KeyboardInterrupt, wherever it comes; DuckDB makes no error of its own of it."""
    command = [sys.executable, "-c", INTERRUPTED, "pets.csv", str(len(inputs(200)))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert int(ended.stdout) > len(inputs(20))
    assert not list((folder / "temporary").iterdir())
