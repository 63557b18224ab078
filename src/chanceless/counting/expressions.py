"""Expressions of narwhals that mean the same to every engine."""

from __future__ import annotations

import narwhals as nw

DIGIT = 2**27
"""Numbers of samples, at most 2^53, have two digits of this many values; sums of 2^36 of them stay below 2^63."""


def as_whole(expression: nw.Expr) -> nw.Expr:
    """As 64-bit integers: engines count in integers of their own."""
    return expression.cast(nw.Int64)


def flag(condition: nw.Expr) -> nw.Expr:
    """1 where a condition holds, else 0, also where it is null."""
    return as_whole(nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)))


def divided(number: nw.Expr, by: int) -> tuple[nw.Expr, nw.Expr]:
    """Remainder and quotient. Some engines divide in floats, which is exact without the remainder."""
    low = as_whole(number % by)
    return low, as_whole((number - low) // by)
