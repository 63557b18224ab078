"""The command line: one module for each command; they parse, call the library and print."""

import io
import os
import signal
import sys

_ENDS = {signal.SIGINT: ("Interrupted.\n", 130), signal.SIGTERM: ("Terminated.\n", 143)}
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
    line, code = "", 1
    try:
        line, code = _run()
    except OSError as error:
        written = "standard output" if error.filename is None else repr(error.filename)
        line = f"Error: {written} cannot be written: {error.strerror or error}.\n"
    except BaseException:
        if not _received:
            raise
    if _received:  # also after an error: modules that are interrupted may raise their own
        line, code = _ENDS[signal.Signals(_received[0])]
    for stream, text in ((sys.stdout, ""), (sys.stderr, line)):
        try:
            if stream is not None:
                stream.write(text)
                stream.flush()
        except OSError:  # do not try again at the end of Python
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


def _run() -> tuple[str, int]:
    """Run the command and write all it says; return a last line for standard error, and the exit code."""
    if sys.stdout is None:
        return "Error: standard output is closed.\n", 1
    if isinstance(sys.stdout.buffer, io.RawIOBase):  # as PYTHONUNBUFFERED wants: it may take a part of what is written
        buffer = io.BufferedWriter(sys.stdout.buffer)
        sys.stdout = io.TextIOWrapper(buffer, sys.stdout.encoding, sys.stdout.errors, line_buffering=True)
    try:
        import rich  # noqa: F401, PLC0415 - an extra

        from chanceless.cli.app import app  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError:
        return 'chanceless\'s command line needs its extra: pip install "chanceless[cli]"\n', 1
    try:
        app.main(prog_name="chanceless")
    except SystemExit as end:  # click always exits
        sys.stdout.flush()  # a full disk is noticed here, not after the end
        return "", end.code if isinstance(end.code, int) else 0


def _leave(number: int, _frame: object) -> None:
    """Note a signal and leave, such that temporary files are removed on the way."""
    _received.append(number)
    raise SystemExit(_ENDS[signal.Signals(number)][1])
