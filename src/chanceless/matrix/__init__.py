"""Many clusterings at once: every pair of them, or one against all others."""

from chanceless.matrix.pairs import compare_all, compare_to
from chanceless.matrix.ranking import Ranking
from chanceless.matrix.score_matrix import ScoreMatrix

__all__ = ["Ranking", "ScoreMatrix", "compare_all", "compare_to"]
