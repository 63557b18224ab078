"""Read labellings: check them, turn labels into integer codes once, and apply policies to the codes.

Labels are names: two samples share a cluster when their labels are equal, and nothing else about a label matters.
"""

from chanceless.labels.labelling import Labelling
from chanceless.labels.series import read_labels

__all__ = ["Labelling", "read_labels"]
