"""Check options: one of several choices, a number in a range, a whole number, a function. All raise OptionError."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

from chanceless.errors import OptionError, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chanceless.errors import Text

AverageMethod = Literal["arithmetic", "geometric", "min", "max", "reference", "none"]
_AVERAGE_METHODS = get_args(AverageMethod)


def refuse(argument: str, expected: Text, given: object, hint: Text = "") -> NoReturn:
    """Raise OptionError for the value of an argument."""
    raise OptionError(expected, argument=argument, given=quoted(given), hint=hint)


def check_choice(argument: str, given: object, choices: Sequence[str | None], hint: Text = "") -> None:
    """Raise OptionError unless the value is one of the choices."""
    if not isinstance(given, str | None) or given not in choices:
        refuse(argument, f"be one of {', '.join(map(repr, choices))}", given, hint)


def check_number(
    argument: str, given: Any, expected: Text, low: float = -math.inf, high: float = math.inf, hint: Text = ""
) -> float:
    """Return a finite number from `low` to `high` as a float, or raise OptionError."""
    try:
        number = float(given) if isinstance(given, numbers.Real) else math.nan
    except OverflowError:
        number = math.inf
    if math.isfinite(number) and low <= number <= high:
        return number
    refuse(argument, expected, given, hint)


def check_whole_number(argument: str, given: Any, low: int, high: int | None = None, hint: Text = "") -> int:
    """Return a whole number from `low` to `high` as an int, or raise OptionError."""
    if isinstance(given, numbers.Integral) and not isinstance(given, bool):
        number = int(given)
        if low <= number and (high is None or number <= high):
            return number
    expected = f"be a whole number, {low} or more" if high is None else f"be a whole number from {low} to {high}"
    refuse(argument, expected, given, hint)


def check_function(argument: str, given: object, expected: Text) -> None:
    """Raise OptionError unless the value is None or can be called."""
    if given is not None and not callable(given):
        refuse(argument, expected, given)


def check_average_method(average_method: object) -> None:
    """Raise OptionError for an unknown average method."""
    check_choice("average_method", average_method, _AVERAGE_METHODS)


def check_beta(beta: object) -> float:
    """Return the weight of completeness beside homogeneity, or raise OptionError."""
    hint = "1 weighs homogeneity and completeness alike, more than 1 favours completeness"
    return check_number("beta", beta, "be a finite number of at least 0", low=0.0, hint=hint)
