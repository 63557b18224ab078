"""From nats to a score of at most 1: means of two entropies, and the one place that decides 0 / 0.

Identical partitions score 1.0, trivial ones (one cluster; all singletons; no samples) too. Any other 0 / 0 is 0.0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

from chanceless.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

AverageMethod = Literal["arithmetic", "geometric", "min", "max", "reference", "none"]

_METHODS = get_args(AverageMethod)
_MEANS: dict[str, Callable[[float, float], float]] = {
    "arithmetic": lambda left, right: (left + right) / 2,
    "geometric": lambda left, right: math.sqrt(left * right),
    "min": min,
    "max": max,
    "reference": lambda left, _right: left,
}


def check_average_method(average_method: str) -> None:
    """Refuse a name that is no way to average."""
    if not isinstance(average_method, str) or average_method not in _METHODS:
        valid = ", ".join(map(repr, _METHODS))
        msg = f"average_method must be one of {valid}, got {average_method!r}."
        raise OptionError(msg)


def normalized(information: float, entropies: tuple[float, float], average_method: str, *, identical: bool) -> float:
    """Divide shared information by the mean of two entropies that it cannot exceed."""
    if average_method == "none":
        return information
    if identical:
        return 1.0
    mean = _MEANS[average_method](*entropies)
    return share(information, mean) if mean > 0.0 else 0.0


def mean_beyond_chance(beyond: tuple[float, float], average_method: str) -> float:
    """The mean of two entropies, less what is expected by chance, given both entropies less that."""
    return _MEANS[average_method](*beyond)


def geometric_mean_beyond_chance(beyond: tuple[float, float], entropies: tuple[float, float]) -> float:
    """The only mean that may not be taken of the differences.

    The geometric mean of H and H' is their arithmetic mean less (sqrt(H) - sqrt(H'))^2 / 2.
    """
    roots = math.sqrt(entropies[0]) + math.sqrt(entropies[1])
    return sum(beyond) / 2 - ((beyond[0] - beyond[1]) / roots) ** 2 / 2


def share(information: float, entropy: float) -> float:
    """The part of an entropy that is explained; all of it where there is nothing to explain."""
    # At most 1 (proved for each pair of terms that is passed here); rounding may say one unit in the last place more.
    return min(information / entropy, 1.0) if entropy > 0.0 else 1.0
