"""The command line: one module for each command; they parse, call the library and print."""

import os
import signal
import sys
from contextlib import suppress

_ENDS = {signal.SIGINT: ("Interrupted.", 130), signal.SIGTERM: ("Terminated.", 143)}
"""The line and the exit code of signals: 128 and their number, as shells have it."""
if sys.platform == "win32":
    _ENDS[signal.SIGBREAK] = _ENDS[signal.SIGINT]  # Ctrl-Break
_received: list[int] = []


def main() -> None:
    """Run `chanceless`; end with one line for Ctrl-C, SIGTERM, a full disk or a closed stream, and its exit code."""
    for number in _ENDS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):  # neither ignored nor in use
            signal.signal(number, _leave)
    if sys.stderr is None:  # nobody listens
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - until the end
    code = 1
    try:
        code = _run()
    except OSError as error:
        written = "standard output" if error.filename is None else repr(error.filename)
        _say(f"Error: {written} cannot be written: {error.strerror or error}.")
    except BaseException:
        if not _received:
            raise
    if _received:  # also after an error: modules that are interrupted may raise their own
        line, code = _ENDS[signal.Signals(_received[0])]
        _say(line)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:  # do not try again at the end of Python
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


def _run() -> int:
    """Run the command, write all it says, and return its exit code."""
    if sys.stdout is None:
        return _say("Error: standard output is closed.")
    try:
        import click  # noqa: F401, PLC0415 - an extra
        import rich  # noqa: F401, PLC0415 - an extra
    except ModuleNotFoundError:
        return _say('chanceless\'s command line needs its extra: pip install "chanceless[cli]"')
    from chanceless.cli.app import app  # noqa: PLC0415 - needs the extra

    try:
        app.main(prog_name="chanceless")
    except SystemExit as end:  # click always exits
        sys.stdout.flush()  # a full disk is noticed here, not after the end
        return end.code if isinstance(end.code, int) else 0
    return 0


def _leave(number: int, _frame: object) -> None:
    """Note a signal and leave, such that temporary files are removed on the way."""
    _received.append(number)
    raise SystemExit(_ENDS[signal.Signals(number)][1])


def _say(line: str) -> int:
    """Write a line to standard error; return the exit code of errors."""
    with suppress(OSError):  # there is no other place to complain
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    return 1
