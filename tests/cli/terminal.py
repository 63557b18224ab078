"""The command line as tests use it: without a process where they can, with one where they must."""

import subprocess
import sys

from click.testing import CliRunner

from chanceless.cli.app import app

MAIN = "from chanceless.cli import main; main()"
TRUTH = ["cat"] * 6 + ["dog"] * 5 + ["owl"] * 4
FOUND = [0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 1, 3, 3, 3, 2]
COMPARE = ("compare", "pets.csv", "animal", "cluster")


def run(*arguments, code=0, **options):
    """Run a command here, and see that it ends with this exit code."""
    result = CliRunner().invoke(app, arguments, prog_name="chanceless", **options)
    assert result.exit_code == code, (result.output, result.exception)
    return result


def error(*arguments, code=1, **options):
    """Return the one line that a command ends with, having printed nothing else."""
    result = run(*arguments, code=code, **options)
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("Error: ").rstrip("\n")


def usage_error(*arguments, **options):
    """Return what a command says of arguments that make no sense to it."""
    result = run(*arguments, code=2, **options)
    assert result.stdout == ""
    assert result.stderr.startswith("Usage: chanceless ")
    return result.stderr.partition("\nError: ")[2].rstrip("\n")


def run_in_a_process(program, *arguments, **options):
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)
