"""Names of columns in queries, and narwhals expressions with the same result on every engine."""

from __future__ import annotations

import narwhals as nw

# Fixed names, independent of the user's: two columns may be one, and SQL ignores upper and lower case.
TRUE, PRED, ROWS, SAMPLES, ONE = "cl_true", "cl_pred", "cl_rows", "cl_samples", "cl_one"

DIGIT = 2**27
"""Numbers of samples, at most 2^53, have two digits in this base; sums of 2^36 digits stay below 2^63."""


def as_int64(expression: nw.Expr) -> nw.Expr:
    """Cast to 64-bit integers: engines count in different integer types."""
    return expression.cast(nw.Int64)


def flag(condition: nw.Expr) -> nw.Expr:
    """Return 1 where a condition holds, else 0, also where it is null."""
    return as_int64(nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)))


def divided(number: nw.Expr, by: int) -> tuple[nw.Expr, nw.Expr]:
    """Return remainder and quotient. Some engines divide in floats, which is exact without the remainder."""
    low = as_int64(number % by)
    return low, as_int64((number - low) // by)
