"""Many clusterings at once: every pair of them, or one against all others."""

from chanceless.many.all_pairs import compare_all, compare_to
from chanceless.many.ranking import Ranking
from chanceless.many.score_matrix import PValueMatrix, ScoreMatrix

__all__ = ["PValueMatrix", "Ranking", "ScoreMatrix", "compare_all", "compare_to"]
