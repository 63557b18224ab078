"""The command line: one module for each command; they parse, call the library and print."""

import sys

INTERRUPTED = 130  # 128 + SIGINT, as shells have it
PIPE_CLOSED = 141  # 128 + SIGPIPE, as after `| head`


def main() -> None:
    """Run `chanceless`. Its extra is imported here, so that a missing one is reported in one line."""
    try:
        _run()
    except KeyboardInterrupt:  # while modules are imported, before click listens
        sys.stderr.write("Interrupted.\n")
        sys.exit(INTERRUPTED)


def _run() -> None:
    try:
        import click  # noqa: F401, PLC0415 - an extra
        import rich  # noqa: F401, PLC0415 - an extra
    except ModuleNotFoundError:
        sys.exit('chanceless\'s command line needs its extra: pip install "chanceless[cli]"')
    from chanceless.cli.app import app  # noqa: PLC0415 - needs the extra

    try:
        app(prog_name="chanceless")
    except SystemExit as end:
        if end.code == 1 and isinstance(end.__context__, BrokenPipeError):
            sys.exit(PIPE_CLOSED)
        raise
