"""Serve scikit-learn's scores of two clusterings, for code that calls them by scikit-learn's names."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from copy import copy
from functools import update_wrapper
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

import chanceless

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["patch_sklearn", "unpatch_sklearn"]

_AVERAGES = [{"average_method": method} for method in ("arithmetic", "geometric", "min", "max")]
_CHANGED: list[tuple[Any, str, Any]] = []
"""The attributes that are patched: their object, their name, and scikit-learn's value."""
_LOCK = RLock()


def patch_sklearn() -> ExitStack:
    """Let scikit-learn's scores of two clusterings be computed by chanceless.

    This serves the names of `sklearn.metrics` and `sklearn.metrics.cluster`, and scorers: `get_scorer("rand_score")`,
    `scoring="rand_score"`. Integers, booleans and text are counted by chanceless. For everything else scikit-learn's
    own function is called, so its errors and warnings stay as they are.

    Patch before `from sklearn.metrics import ...`: names that are imported already stay scikit-learn's. So do other
    processes, such as those of `n_jobs=2`. Calls from all threads of this process are served.

    Returns
    -------
    contextlib.ExitStack
        A context manager that takes back what this call has changed: `with patch_sklearn(): ...`. Without `with`, the
        patch lasts until `unpatch_sklearn()`.

    See Also
    --------
    unpatch_sklearn : Give scikit-learn its own functions back.

    Examples
    --------
    >>> import sklearn.metrics
    >>> from chanceless import patch_sklearn
    >>> with patch_sklearn():
    ...     sklearn.metrics.adjusted_rand_score([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    """
    undo = ExitStack()
    with _LOCK:
        if not _CHANGED:
            undo.callback(unpatch_sklearn)
            metrics, cluster = import_module("sklearn.metrics"), import_module("sklearn.metrics.cluster")
            scorers = import_module("sklearn.metrics._scorer")._SCORERS
            for name in {*cluster.__all__} & {*dir(chanceless)}:
                if name.endswith(("_score", "_v_measure")):
                    served = _Served(getattr(chanceless, name), getattr(cluster, name))
                    _change(cluster, name, served)
                    _change(metrics, name, served)
                    if name in scorers:
                        _change(scorers[name], "_score_func", served)
    return undo


def unpatch_sklearn() -> None:
    """Give scikit-learn its own functions back; without a patch, do nothing.

    See Also
    --------
    patch_sklearn : Let chanceless compute scikit-learn's scores.

    Examples
    --------
    >>> from chanceless import patch_sklearn, unpatch_sklearn
    >>> _ = patch_sklearn()
    >>> unpatch_sklearn()
    """
    with _LOCK:
        while _CHANGED:
            setattr(*_CHANGED.pop())


def _change(owner: Any, name: str, value: object) -> None:
    _CHANGED.append((owner, name, getattr(owner, name)))
    setattr(owner, name, value)


class _Served:
    """A score of scikit-learn, computed by chanceless where both mean the same.

    A pickle has scikit-learn's function in its place: it can be loaded without the patch, and without chanceless.
    """

    def __init__(self, ours: Callable[..., Any], theirs: Callable[..., Any]) -> None:
        self._ours, self._theirs = ours, theirs
        update_wrapper(self, theirs)

    def __call__(self, *labels: Any, **options: Any) -> Any:
        with suppress(Exception):  # scikit-learn says in its own words what is wrong, or takes it
            return self._serve(*labels, **options)
        return self._theirs(*labels, **options)

    def __repr__(self) -> str:
        return f"{self._theirs!r} served by chanceless"

    def __deepcopy__(self, _: object) -> _Served:
        return self  # as of a function: scikit-learn copies scorers

    def __reduce__(self) -> tuple[Any, ...]:
        return copy, (self._theirs,)

    def _serve(self, labels_true: object, labels_pred: object, **options: Any) -> Any:
        if options and options.keys() != {"beta"} and options not in _AVERAGES:
            raise ValueError(options)
        return self._ours(_as_scikit_learn_reads(labels_true), _as_scikit_learn_reads(labels_pred), **options)


def _as_scikit_learn_reads(labels: object) -> NDArray[Any]:
    array = np.asarray(labels)
    is_plain = array.dtype.kind in "biuU" or (array.dtype.kind == "O" and {*map(type, array.tolist())} == {str})
    if array.ndim != 1 or array.size == 0 or not is_plain:
        raise ValueError(array)
    return array
