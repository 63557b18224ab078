"""Long reads: they tell how far they are, and end at once when interrupted, leaving nothing behind."""

import os
import signal
import subprocess
import sys
import time

import duckdb
import psutil
import pytest

from chanceless.files import database, read_labellings, read_spectrum, read_table

pytestmark = [pytest.mark.slow, pytest.mark.posix]

PROGRAM = """
import signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from chanceless import files
path, times, name = sys.argv[1:]
arguments = ([path] * int(times), *(["a", "b"] if name != "read_labellings" else []))
try:
    getattr(files, name)(*arguments)
except KeyboardInterrupt:
    deadline = time.monotonic() + 60
    idle = False
    while not idle and time.monotonic() < deadline:
        used = time.process_time()
        time.sleep(0.1)
        idle = threading.active_count() == 1 and time.process_time() - used < 0.05
    print("idle" if idle else "busy")
"""
COMMAND = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from chanceless.cli import main
main()
"""


@pytest.fixture
def long(tmp_path):
    """A file that is read soon; but many times as long."""

    def write(ending):
        path = tmp_path / f"long.{ending}"
        rows = "select (hash(i) % 900)::int as a, (hash(-i) % 900)::int as b from range(1000000) as t(i)"
        options = "" if ending == "parquet" else ", header"
        duckdb.connect().execute(f"copy ({rows}) to '{path}' (format {ending}{options})")
        return path

    return write


def started(folder, *arguments):
    """Start Python with a separate temporary folder."""
    folder.mkdir()
    environment = {**os.environ, "TMPDIR": str(folder)}
    command = [sys.executable, "-c", *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until(condition):
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def seconds_used(process):
    """Return the time that a process has computed, which does not depend on the processes beside it."""
    times = psutil.Process(process.pid).cpu_times()
    return times.user + times.system


def interrupted(process, folder):
    """Interrupt a process that has read for a while; return its output, and after how long it ended."""
    wait_until(lambda: any(folder.iterdir()))
    staged = seconds_used(process)
    wait_until(lambda: seconds_used(process) > staged + 0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    output, errors = process.communicate(timeout=120)
    assert not list(folder.iterdir())
    return output, errors, time.monotonic() - start


def test_interrupted_reads_leave_nothing_behind(long, tmp_path):
    parquet, text = long("parquet"), long("csv")
    # so often the same file, that reading all of it would take minutes
    reads = [(parquet, 200, "read_table"), (text, 60, "read_spectrum"), (text, 60, "read_labellings")]
    folders = [tmp_path / name for *_, name in reads]
    processes = [started(folder, PROGRAM, *read) for folder, read in zip(folders, reads, strict=True)]
    for process, folder in zip(processes, folders, strict=True):
        output, errors, seconds = interrupted(process, folder)
        assert output == "idle\n", errors
        # half a second where nobody else works; not minutes anywhere
        assert seconds < 60


def test_an_interrupted_command(long, tmp_path):
    for number in range(100):
        (tmp_path / f"day-{number}.parquet").hardlink_to(long("parquet") if not number else tmp_path / "day-0.parquet")
    folder, pattern = tmp_path / "temporary", tmp_path / "day-*.parquet"
    process = started(folder, COMMAND, "compare", pattern, "a", "b", "--scores-only")
    output, errors, _ = interrupted(process, folder)
    assert (output, errors, process.returncode) == ("", "Interrupted.\n", 130)


def read_columns(path, *_, progress):
    return read_labellings(path, progress=progress)


@pytest.mark.parametrize(("read", "ending"), [(read_table, "parquet"), (read_spectrum, "csv"), (read_columns, "csv")])
def test_progress_is_told(long, monkeypatch, ending, read):
    monkeypatch.setattr(database, "_PROGRESS_SECONDS", 0.001)
    shares = []
    read([long(ending)] * 2, "a", "b", progress=shares.append)
    assert shares
    assert all(0 <= share <= 1 for share in shares)
    assert max(shares) > 0


def test_what_progress_raises_ends_the_read(long, monkeypatch):
    def give_up(_):
        raise RuntimeError

    monkeypatch.setattr(database, "_PROGRESS_SECONDS", 0.001)
    with pytest.raises(RuntimeError):
        read_table([long("parquet")] * 100, "a", "b", progress=give_up)
