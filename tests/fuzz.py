"""How many inputs the fuzz tests try: 15 % of them by default, all with `--nightly`, 2 % with `--quick`.

`nox -s thorough` tries 20 times as many.
"""

import os

FACTOR = "CHANCELESS_FUZZ_FACTOR"
"""Environment variable: multiplies the number of inputs of every fuzz test."""


def inputs(number):
    """Return the seeds of a fuzz test, one for each input."""
    return range(max(1, round(number * float(os.environ.get(FACTOR, "0.15")))))
