"""The command line: parsing and printing, one file a command; everything else is the library's."""

import sys

INTERRUPTED = 130  # 128 + SIGINT, as shells have it
NOBODY_READS = 141  # 128 + SIGPIPE: `| head` has seen enough


def main() -> None:
    """Run `chanceless`; what it needs beyond the library is imported here, where its absence can be told kindly."""
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
            sys.exit(NOBODY_READS)
        raise
