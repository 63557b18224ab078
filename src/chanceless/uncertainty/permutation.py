"""Test whether two clusterings agree more than random labels would."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from chanceless.arguments import count_arguments
from chanceless.catalog import find_score
from chanceless.counting.table import as_spectrum
from chanceless.errors import OptionError
from chanceless.formulas import check_average_method
from chanceless.policy import documents_policy
from chanceless.uncertainty.pvalue_methods import N_RESAMPLES, PermutationTest, named, run_test

if TYPE_CHECKING:
    from chanceless.formulas import AverageMethod
    from chanceless.policy import Missing, NoiseAs

Method = Literal["auto", "exact", "resample", "splitting", "moments"]

_MOST_SEED = 2**64 - 1


@documents_policy
def permutation_test(  # noqa: PLR0913 - as documented
    labels_true: Any,
    labels_pred: Any = None,
    predicted: str | None = None,
    *,
    score: str = "adjusted_mutual_info",
    method: Method = "auto",
    n_resamples: int = N_RESAMPLES,
    rng: int | np.random.Generator | None = None,
    average_method: AverageMethod = "arithmetic",
    weight: Any = None,
    missing: Missing = "raise",
    noise: Any = None,
    noise_as: NoiseAs | None = None,
) -> PermutationTest:
    """Test whether two clusterings agree more than random labels with clusters of the same sizes.

    Takes two labellings, a table or spectrum, or a dataframe and the names of two of its columns, as `compare` does.

    The p-value answers "could this be chance?", not "how alike?": for many samples, the weakest agreement is not
    chance.

    Parameters
    ----------
    labels_true : sequence of labels, dataframe, ContingencyTable or Spectrum
        The truth, one label for each sample. Or an object that holds both clusterings.
    labels_pred : sequence of labels or str, optional
        The prediction. If the first argument is a dataframe: the name of the column with the truth.
    predicted : str, optional
        If the first argument is a dataframe: the name of the column with the prediction.
    score : str, default "adjusted_mutual_info"
        Any score by its name. All scores made of mutual information have the same p-value, and so have all scores that
        count pairs of samples.
    method : {"auto", "exact", "resample", "splitting", "moments"}, default "auto"
        "exact" enumerates all tables with the same sizes, up to a million (any number for 2 x 2 clusters). "resample"
        draws random tables. "splitting" finds p-values down to 1e-30 by random swaps. "moments" takes a millisecond:
        Pearson's type III distribution with the exact mean, variance and third cumulant, for samples and clusters that
        are large enough. "auto" is "exact" where possible, else "resample"; if p is small, "splitting", or
        "moments" for more than 5,000 samples.
    n_resamples : int, default 9999
        The largest number of random tables. Resampling stops when enough of them agree as well as the given ones.
    rng : int or numpy.random.Generator, optional
        The seed of the random numbers; another one each time by default.
    average_method : {"arithmetic", "geometric", "min", "max", "reference", "none"}, default "arithmetic"
        The mean of the two entropies that normalises the score; it has no effect on the p-value.
    weight : str or array of int, optional
        The number of samples that each row or entry counts for, as in `compare`.
    {policy}

    Returns
    -------
    PermutationTest
        The score, its p-value, and how it was computed.

    {label errors}

    See Also
    --------
    confidence_interval : How far the score would vary over samples.
    standardized_mutual_info_score : The number of standard deviations above chance.

    References
    ----------
    J. Besag and P. Clifford, Sequential Monte Carlo p-values, Biometrika 78 (1991).

    Examples
    --------
    >>> from chanceless import permutation_test
    >>> test = permutation_test([0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, 2, 2, 2, 1])
    >>> test.method, round(test.pvalue, 6)
    ('exact', 0.1)
    """
    check_average_method(average_method)
    kind = find_score(score)
    _check(method, n_resamples)
    seed = as_seed(rng)
    policy: dict[str, Any] = {"missing": missing, "noise": noise, "noise_as": noise_as}
    counted = count_arguments("permutation_test", (labels_true, labels_pred, predicted), weight, policy)
    spectrum = as_spectrum(counted.table)._native
    test = run_test(spectrum, kind.statistic, method, n_resamples, seed)
    return named(test, kind.name, kind.formula(spectrum, average_method))


def _check(method: object, n_resamples: object) -> None:
    if method not in get_args(Method):
        known = ", ".join(map(repr, get_args(Method)))
        raise OptionError(f"be one of {known}", argument="method", given=repr(method))
    whole = isinstance(n_resamples, numbers.Integral) and not isinstance(n_resamples, bool)
    if not whole or not 1 <= int(n_resamples) < 2**53:  # type: ignore[call-overload]
        hint = "9999 gives p = 0.05 within 0.004, 19 times of 20"
        raise OptionError(
            "be a whole number from 1 to 2**53 - 1", argument="n_resamples", given=repr(n_resamples), hint=hint
        )


def as_seed(rng: object) -> int:
    """Return a seed for the core: the given integer itself, or one that a generator draws."""
    if isinstance(rng, numbers.Integral) and not isinstance(rng, bool) and 0 <= int(rng) <= _MOST_SEED:
        return int(rng)
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(_MOST_SEED, dtype=np.uint64, endpoint=True))
    raise OptionError(
        "be a seed from 0 to 2**64 - 1, a numpy.random.Generator, or None", argument="rng", given=repr(rng)
    )
