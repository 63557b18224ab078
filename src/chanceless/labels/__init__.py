"""Read labellings: check them, turn labels into integer codes once, and apply policies to the codes.

Labels are names: two samples share a cluster when their labels are equal, and nothing else about a label matters.
"""

from chanceless.labels.alignment import check_indexes
from chanceless.labels.apply_policy import apply_policy, drop_empty, drop_samples, mask_of
from chanceless.labels.labelling import Labelling
from chanceless.labels.merge import are_alike, union
from chanceless.labels.read import check_chunk, read_complete, read_distinct, read_labels, read_pair, read_together
from chanceless.labels.series import names_of

__all__ = [
    "Labelling",
    "apply_policy",
    "are_alike",
    "check_chunk",
    "check_indexes",
    "drop_empty",
    "drop_samples",
    "mask_of",
    "names_of",
    "read_complete",
    "read_distinct",
    "read_labels",
    "read_pair",
    "read_together",
    "union",
]
