"""The command line: one module for each command; they parse, call the library and print."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import time
from _thread import interrupt_main, start_new_thread
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130  # 128 + SIGINT, as shells have it
TERMINATED = 143  # 128 + SIGTERM
PIPE_CLOSED = 141  # 128 + SIGPIPE, as after `| head`


_ENDS = {signal.SIGINT: ("Interrupted.", INTERRUPTED), signal.SIGTERM: ("Terminated.", TERMINATED)}
if sys.platform == "win32":
    _ENDS[signal.SIGBREAK] = _ENDS[signal.SIGINT]  # Ctrl-Break
_PIPE_CLOSED = {errno.EPIPE, errno.EINVAL} if sys.platform == "win32" else {errno.EPIPE}
_received: list[signal.Signals] = []
"""Signals. Modules that are being imported, and DuckDB, may turn the exception of one into an error of their own."""


def main() -> None:
    """Run `chanceless`; end with one line for Ctrl-C, SIGTERM, a full disk or a closed stream, and its exit code."""
    try:
        _listen()
        code = _guard_streams()
    except BaseException as error:
        if not _received and not isinstance(error, KeyboardInterrupt):
            raise
        code = _say(*_ENDS[_received[0] if _received else signal.SIGINT])
    if _received and code == 1:  # an error of a module that was interrupted
        code = _say(*_ENDS[_received[0]])
    _end(code)


def _guard_streams() -> int:
    """Run the command and write all it says; return its exit code."""
    if sys.stderr is None:  # nobody listens
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - until the end
    if sys.stdout is None:
        return _say("Error: standard output is closed.", 1)
    try:
        code = _run()
        sys.stdout.flush()  # a full disk is noticed here, not after the end
    except OSError as error:
        if error.errno in _PIPE_CLOSED and error.filename is None:
            return PIPE_CLOSED
        written = "standard output" if error.filename is None else repr(error.filename)
        return _say(f"Error: {written} cannot be written: {error.strerror or error}.", 1)
    return code


def _run() -> int:
    """Run the command and return its exit code. Its extra is imported here, to report in one line if it is missing."""
    try:
        import click  # noqa: PLC0415 - an extra
        import rich  # noqa: F401, PLC0415 - an extra
    except ModuleNotFoundError:
        return _say('chanceless\'s command line needs its extra: pip install "chanceless[cli]"', 1)
    from chanceless.cli.app import app  # noqa: PLC0415 - needs the extra

    try:
        code = app.main(prog_name="chanceless", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except SystemExit as end:
        if end.code == 1 and isinstance(end.__context__, BrokenPipeError):
            return PIPE_CLOSED
        raise
    return code if isinstance(code, int) else 0


def _listen() -> None:
    """Note signals. SIGTERM removes temporary files on the way out, as Ctrl-C does. Handlers of others stay."""
    if threading.current_thread() is threading.main_thread():
        for number in _ENDS:
            usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            if signal.getsignal(number) == usual:
                signal.signal(number, _note)


def _note(number: int, frame: FrameType | None) -> None:
    """Raise the exception of a signal, now or after what must not be interrupted."""
    received = signal.Signals(number)
    _received.append(received)
    if _must_go_on(frame):
        start_new_thread(_signal_again, (received,))
        return
    raise SystemExit(TERMINATED) if number == signal.SIGTERM else KeyboardInterrupt


def _must_go_on(frame: FrameType | None) -> bool:
    """Return whether an exception would do harm: amid an import, or while Python looks for a temporary directory.

    A lock of the import system would stay taken, so that threads hang. DuckDB's module, which creates classes of Python
    while it is imported, would end the process. The file that Python creates to try a directory would stay there.
    """
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith("<frozen importlib") or code.co_name == "_get_default_tempdir":
            return True
        frame = frame.f_back
    return False


def _signal_again(number: signal.Signals) -> None:
    """Wait a moment, then send the signal again."""
    time.sleep(0.001)
    if sys.platform == "win32":
        interrupt_main(number)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, number)  # also ends a system call that waits


def _say(line: str, code: int) -> int:
    """Write a line to standard error; return the exit code."""
    with suppress(OSError):  # there is no other place to complain
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    return code


def _end(code: int) -> NoReturn:
    """Exit. What could not be written is not written again, and signals come too late."""
    for number in _ENDS if threading.current_thread() is threading.main_thread() else ():
        signal.signal(number, signal.SIG_IGN)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)
