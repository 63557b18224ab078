"""Many clusterings at once: every pair of them, or one against all others."""

from chanceless.many.pairs import compare_all, compare_to
from chanceless.many.ranking import Ranking
from chanceless.many.score_matrix import ScoreMatrix
from chanceless.many.significance import PValueMatrix

__all__ = ["PValueMatrix", "Ranking", "ScoreMatrix", "compare_all", "compare_to"]
