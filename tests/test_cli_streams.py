"""Disks that are full, streams that are closed, and signals: one line, an exit code, and nothing left behind."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from fuzz import inputs
from terminal import MAIN, run_in_a_process

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


COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from chanceless import cli
cli._listen()
print("ready", file=sys.stderr, flush=True)
cli.main()
"""


def signalled(number, seconds, *arguments):
    """Run a command and send it a signal after a while; return its exit code and what it says."""
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr.readline() == "ready\n"
    time.sleep(seconds)
    process.send_signal(number)
    try:
        said = process.communicate(timeout=60)[1]
    finally:
        process.kill()
        process.communicate()
    return process.returncode, said.lstrip("\n")


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--scores-only", "--where", "a <> 91")], ids=["table", "spectrum"])
def test_signals_at_any_time(folder, options):
    """The command takes about a second: signals come while it imports, stages, queries, cleans up and ends."""
    with duckdb.connect() as connection:
        rows = "select hash(i) % 90 as a, hash(-i) % 90 as b from range(200000) as t(i)"
        connection.execute(f"copy ({rows}) to 'long.csv.gz' (header)")
    ends = {signal.SIGINT: (130, "Interrupted.\n"), signal.SIGTERM: (143, "Terminated.\n")}
    seen = []
    for step in range(10):
        for number, expected in ends.items():
            ended = signalled(number, 0.02 + 0.13 * step, "compare", "long.csv.gz", "a", "b", *options)
            assert ended in (expected, (0, ""))
            seen.append(ended[0])
            assert not list((folder / "temporary").iterdir())
    assert {130, 143} <= {*seen}


IMPORTING = """
import signal, sys, time
from chanceless import cli
signal.signal(signal.SIGINT, signal.default_int_handler)
cli._listen()
number = int(sys.argv[1])
seen = []
source = "def hold_lock():\\n signal.raise_signal(number)\\n seen.append('released')"
exec(compile(source, "<frozen importlib._bootstrap>", "exec"))
try:
    hold_lock()
    time.sleep(60)
except BaseException as error:
    seen.append(type(error).__name__)
print(*seen)
"""


@pytest.mark.parametrize(("number", "name"), [(signal.SIGINT, "KeyboardInterrupt"), (signal.SIGTERM, "SystemExit")])
def test_signals_wait_for_the_import_system(number, name):
    """An exception between taking and releasing its lock would leave it taken, and other threads wait forever."""
    ended = run_in_a_process(IMPORTING, str(int(number)))
    assert (ended.stdout, ended.stderr) == (f"released {name}\n", "")


IMPORTED = """
import signal
signal.raise_signal(signal.SIGINT)
made = sum(range(10**6))
"""


def test_signals_wait_for_the_end_of_an_import(tmp_path):
    """DuckDB's module calls Python while it is imported; an exception there would end the process."""
    (tmp_path / "slow_module.py").write_text(IMPORTED, encoding="utf-8")
    code = IMPORTING.partition("number = ")[0] + (
        f"sys.path.append({str(tmp_path)!r})\n"
        "try:\n import slow_module\n time.sleep(60)\nexcept KeyboardInterrupt:\n print(slow_module.made)"
    )
    ended = run_in_a_process(code)
    assert (ended.stdout, ended.stderr) == ("499999500000\n", "")


TEMPORARY = """
import os, signal, sys, tempfile, time
from chanceless import cli
signal.signal(signal.SIGINT, signal.default_int_handler)
cli._listen()
opened = os.open
def open_and_interrupt(*given):
    descriptor = opened(*given)
    signal.raise_signal(signal.SIGINT)
    return descriptor
os.open = open_and_interrupt
try:
    tempfile.gettempdir()
    time.sleep(60)
except KeyboardInterrupt:
    print(os.listdir(os.environ["TMPDIR"]))
"""


def test_signals_wait_while_a_temporary_directory_is_tried(tmp_path, monkeypatch):
    """Python creates a file there, and removes it."""
    (tmp_path / "tried").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tried"))
    ended = run_in_a_process(TEMPORARY)
    assert (ended.stdout, ended.stderr) == ("[]\n", "")


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
