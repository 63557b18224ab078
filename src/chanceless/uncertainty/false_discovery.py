"""Adjust the p-values of several tests for their number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from chanceless.errors import OptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Adjustment = Literal["bh", "by", "bonferroni"]


def check_adjustment(adjust: object) -> None:
    """Raise OptionError for an unknown adjustment."""
    if adjust is not None and adjust not in get_args(Adjustment):
        known = ", ".join(map(repr, get_args(Adjustment)))
        hint = "'bh' bounds the share of false discoveries, 'bonferroni' the chance of a single one"
        raise OptionError(f"be one of {known}, or None", argument="adjust", given=repr(adjust), hint=hint)


def adjust_pvalues(pvalues: NDArray[np.float64], adjust: Adjustment | None) -> NDArray[np.float64]:
    """Adjust p-values so that those of at most q are discoveries with an error rate of q.

    Parameters
    ----------
    pvalues : numpy.ndarray of float64
        One p-value for each test.
    adjust : {"bh", "by", "bonferroni"} or None
        "bh": the share of false discoveries among all (Benjamini and Hochberg 1995), for tests that are independent or
        positively dependent. "by": the same for any dependence (Benjamini and Yekutieli 2001). "bonferroni": the
        probability of one false discovery or more. None: no adjustment.

    Returns
    -------
    numpy.ndarray of float64
        At most 1, in the given order.

    Examples
    --------
    >>> adjust_pvalues(np.array([0.01, 0.04, 0.02]), "bh").round(6).tolist()
    [0.03, 0.04, 0.03]
    """
    n_tests = len(pvalues)
    if adjust is None or n_tests == 0:
        return pvalues.copy()
    if adjust == "bonferroni":
        return np.minimum(pvalues * n_tests, 1.0)
    ranks = np.arange(1, n_tests + 1)
    factor = n_tests * (1.0 if adjust == "bh" else float((1.0 / ranks).sum()))
    order = np.argsort(pvalues, kind="stable")
    adjusted = np.empty(n_tests)
    adjusted[order] = np.minimum.accumulate((pvalues[order] * factor / ranks)[::-1])[::-1]
    return np.minimum(adjusted, 1.0)
