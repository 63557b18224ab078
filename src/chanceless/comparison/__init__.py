"""Compare two clusterings: every score from one table, caveats, and the agreement of each cluster and sample."""

from chanceless.comparison.result import Comparison, compare, side_by_side
from chanceless.comparison.samples import sample_agreement

__all__ = ["Comparison", "compare", "sample_agreement", "side_by_side"]
