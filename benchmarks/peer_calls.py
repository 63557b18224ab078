"""What each peer does with two labellings, for peers.py: a function that prepares, and returns what is timed."""

from collections.abc import Callable
from functools import partial
from importlib import import_module as load
from importlib.util import find_spec
from typing import Any

import numpy as np

Answer = Any  # a score, fastami's score and error, counts, or a table
Call = Callable[[], Answer]
Prepare = Callable[[Any, Any, int], Call]
Peers = dict[str, Prepare]

MODULES = {"scikit-learn": "sklearn", "DuckDB": "duckdb"}
INSTALL = {"fastami": "pip install --no-deps fastami", "DuckDB": "pip install duckdb pyarrow"}


def library(peer: str) -> str:
    return peer.split(maxsplit=1)[0]


def is_installed(peer: str) -> bool:
    needed = [MODULES.get(library(peer), library(peer)), *(["pyarrow"] if peer == "DuckDB" else [])]
    return all(find_spec(name) is not None for name in needed)


def function(module: str, name: str, **options: Any) -> Prepare:
    return lambda a, b, _: partial(getattr(load(module), name), a, b, **options)


def framed(module: str, make: str, count: Callable[[Any], np.ndarray]) -> Prepare:
    return lambda a, b, _: partial(count, getattr(load(module), make)({"a": a, "b": b}))


def pandas_count(frame: Any) -> np.ndarray:
    return frame.groupby(["a", "b"], observed=True, sort=False).size().to_numpy()


def polars_count(frame: Any) -> np.ndarray:
    return frame.group_by("a", "b").len()["len"].to_numpy()


def pyarrow_count(frame: Any) -> np.ndarray:
    return frame.group_by(["a", "b"]).aggregate([([], "count_all")])["count_all"].to_numpy()


def duckdb_count(frame: Any) -> np.ndarray:
    database = load("duckdb").default_connection()
    database.register("labels", frame)
    return database.sql("SELECT a, b, count(*) AS n FROM labels GROUP BY a, b").to_arrow_table()["n"].to_numpy()


def scipy_count(a: np.ndarray, b: np.ndarray, k: int) -> np.ndarray:
    return load("scipy.sparse").coo_matrix((np.ones(len(a), np.int64), (a, b)), shape=(k, k)).tocsr().data


def pandas_series(labels: Any) -> Any:
    return load("pandas").Series(labels.to_pandas() if hasattr(labels, "to_pandas") else labels)


def pandas_frame(a: Any, b: Any) -> Any:
    return load("pandas").DataFrame({"a": pandas_series(a), "b": pandas_series(b)})


def own_frame(a: Any, b: Any) -> Any:
    """What DuckDB reads best: the columns as they are if it can, else by pandas."""
    makers = {"polars": "DataFrame", "pyarrow": "table"}
    module = type(a).__module__.split(".")[0]
    return getattr(load(module), makers[module])({"a": a, "b": b}) if module in makers else pandas_frame(a, b)


def factorized(a: Any, b: Any, k: int) -> np.ndarray:
    first, second = (load("pandas").factorize(pandas_series(labels))[0] for labels in (a, b))
    return np.bincount(first * k + second)


def codes(labels: Any) -> np.ndarray:
    """Return the codes of a pandas categorical, alone or in a Series."""
    return np.asarray(getattr(labels, "cat", labels).codes)


# clustering-mi is not asked: it divides by the mean of two adjusted entropies, which is another score for few samples.
AMI: Peers = {
    "scikit-learn": function("sklearn.metrics", "adjusted_mutual_info_score"),
    "genieclust": function("genieclust.compare_partitions", "adjusted_mi_score"),
    "fastami": function("fastami", "adjusted_mutual_info_mc", seed=0),
}
ARI: Peers = {
    "scikit-learn": function("sklearn.metrics", "adjusted_rand_score"),
    "genieclust": function("genieclust.compare_partitions", "adjusted_rand_score"),
    "igraph": function("igraph", "compare_communities", method="adjusted_rand"),
}
BINCOUNT: Peers = {"numpy bincount": lambda a, b, k: lambda: np.bincount(a * k + b)}
ENGINES = {"polars": framed("polars", "DataFrame", polars_count), "DuckDB": framed("pyarrow", "table", duckdb_count)}
TABLES: Peers = {
    "numpy unique": lambda a, b, k: lambda: np.unique(a * k + b, return_counts=True)[1],
    "scipy sparse": lambda a, b, k: lambda: scipy_count(a, b, k),
    "scikit-learn": lambda a, b, _: lambda: load("sklearn.metrics.cluster").contingency_matrix(a, b, sparse=True).data,
    "pandas groupby": framed("pandas", "DataFrame", pandas_count),
    "pyarrow": framed("pyarrow", "table", pyarrow_count),
}
STRINGS: Peers = {
    "pandas groupby": lambda a, b, _: lambda: pandas_count(pandas_frame(a, b)),
    "pandas factorize": lambda a, b, k: lambda: factorized(a, b, k),
    "polars": lambda a, b, _: lambda: polars_count(load("polars").DataFrame({"a": a, "b": b})),
    "DuckDB": lambda a, b, _: lambda: duckdb_count(own_frame(a, b)),
}
CODES: Peers = {"pandas codes": lambda a, b, k: lambda: np.bincount(codes(a) * k + codes(b))}
SORTS: Peers = {"numpy sort": lambda a, b, _: lambda: (np.sort(a), np.sort(b))}
