"""The names of `formulas` that other modules know by this module."""

from chanceless.formulas import AverageMethod, check_average_method, mean

__all__ = ["AverageMethod", "check_average_method", "mean_beyond_chance"]


def mean_beyond_chance(entropies: tuple[float, float], average_method: str) -> float:
    """Average two entropies."""
    return mean(*entropies, average_method)
