"""How sure is a score? Intervals of scores, and of differences between two of them."""

from chanceless.uncertainty.differences import DifferenceInterval, difference_interval
from chanceless.uncertainty.intervals import ConfidenceInterval, confidence_interval

__all__ = ["ConfidenceInterval", "DifferenceInterval", "confidence_interval", "difference_interval"]
