"""How many inputs the fuzz tests try: all of them in CI, fewer with `--quick`, more with `nox -s thorough`."""

import os

FACTOR = "CHANCELESS_FUZZ_FACTOR"
"""Environment variable: multiplies the number of inputs of every fuzz test."""


def inputs(number):
    """Return the seeds of a fuzz test, one for each input."""
    return range(max(1, round(number * float(os.environ.get(FACTOR, "1")))))
