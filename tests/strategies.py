"""What hypothesis may think of: labellings, tables, relabellings, splits."""

import numpy as np
from hypothesis import strategies as st

from chanceless import ContingencyTable


def labels(size, clusters=5):
    return st.lists(st.integers(0, clusters - 1), min_size=size, max_size=size)


@st.composite
def pairs_of_labels(draw, min_size=0, max_size=40):
    size = draw(st.integers(min_size, max_size))
    clusters = st.integers(1, max(size, 1))
    return draw(labels(size, draw(clusters))), draw(labels(size, draw(clusters)))


@st.composite
def dense_tables(draw, largest=10**11, max_clusters=6):
    """Matrices of counts of any scale, empty rows and columns among them."""
    shape = draw(st.tuples(st.integers(1, max_clusters), st.integers(1, max_clusters)))
    scale = draw(st.sampled_from([1, 3, 100, 10**6, largest]))
    counts = st.one_of(st.just(0), st.integers(0, scale))
    rows = st.lists(counts, min_size=shape[1], max_size=shape[1])
    return np.array(draw(st.lists(rows, min_size=shape[0], max_size=shape[0])), dtype=np.int64)


def tables(**options):
    return dense_tables(**options).map(ContingencyTable.from_dense)


integer_types = st.sampled_from(
    [np.dtype(f"{order}{kind}{width}") for order in "<>" for kind in "iu" for width in "1248"]
)
