"""Long reads: they tell how far they are, and end at once when interrupted, leaving nothing behind.

Ctrl-C and SIGTERM of commands are in tests/cli/test_streams.py.
"""

import os
import signal
import subprocess
import sys
import time

import duckdb
import psutil
import pytest

from chanceless.files import database, read_spectrum, read_table

pytestmark = pytest.mark.posix

PROGRAM = """
import signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from chanceless import files
path, times, name = sys.argv[1:]
try:
    getattr(files, name)([path] * int(times), *(["a", "b"] if name != "read_labellings" else []))
except KeyboardInterrupt:
    deadline = time.monotonic() + 60
    idle = False
    while not idle and time.monotonic() < deadline:
        used = time.process_time()
        time.sleep(0.1)
        idle = threading.active_count() == 1 and time.process_time() - used < 0.05
    print("idle" if idle else "busy")
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


def wait_until(condition):
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def seconds_used(process):
    """Return the time that a process has computed, which does not depend on the processes beside it."""
    times = psutil.Process(process.pid).cpu_times()
    return times.user + times.system


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("ending", "times", "read"),
    [("parquet", 200, "read_table"), ("csv", 60, "read_spectrum"), ("csv", 60, "read_labellings")],
)
def test_interrupted_reads_leave_nothing_behind(long, tmp_path, ending, times, read):
    """The same file so often that reading all of it would take minutes."""
    (folder := tmp_path / "temporary").mkdir()
    command = [sys.executable, "-c", PROGRAM, str(long(ending)), str(times), read]
    environment = {**os.environ, "TMPDIR": str(folder)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: any(folder.iterdir()))
    staged = seconds_used(process)
    wait_until(lambda: seconds_used(process) > staged + 0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert output == "idle\n", errors
    assert not list(folder.iterdir())


@pytest.mark.parametrize(("read", "ending"), [(read_table, "parquet"), (read_spectrum, "csv")])
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
