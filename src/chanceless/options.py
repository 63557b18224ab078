"""Check options: choices, numbers, functions, and what to do with samples that are missing or noise.

All checks raise OptionError. The docstrings of `missing`, `noise` and `noise_as` are templates here.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from itertools import chain
from textwrap import indent
from typing import Any, Literal, NamedTuple, NoReturn, TypeVar, cast, get_args

from chanceless.errors import LabelsWarning, OptionError, Setting, Text, quoted, warn

ORDERS = {"disagreement": "largest", "size": "largest", "precision": "smallest", "recall": "smallest"}
"""What clusters are listed by, and which come first."""
AverageMethod = Literal["arithmetic", "geometric", "min", "max", "reference", "none"]
_AVERAGE_METHODS = get_args(AverageMethod)


def refuse(argument: str, expected: Text, given: object, hint: Text = "") -> NoReturn:
    """Raise OptionError for the value of an argument."""
    raise OptionError(expected, argument=argument, given=quoted(given), hint=hint)


def check_choice(argument: str, given: object, choices: Sequence[str | None], hint: Text = "") -> None:
    """Raise OptionError unless the value is one of the choices."""
    if not isinstance(given, str | None) or given not in choices:
        refuse(argument, f"be one of {', '.join(map(repr, choices))}", given, hint)


def check_number(
    argument: str, given: Any, expected: Text, low: float = -math.inf, high: float = math.inf, hint: Text = ""
) -> float:
    """Return a finite number from `low` to `high` as a float, or raise OptionError."""
    try:
        number = float(given) if isinstance(given, numbers.Real) else math.nan
    except OverflowError:
        number = math.inf
    if math.isfinite(number) and low <= number <= high:
        return number
    refuse(argument, expected, given, hint)


def check_whole_number(argument: str, given: Any, low: int, high: int | None = None, hint: Text = "") -> int:
    """Return a whole number from `low` to `high` as an int, or raise OptionError."""
    if isinstance(given, numbers.Integral) and not isinstance(given, bool):
        number = int(given)
        if low <= number and (high is None or number <= high):
            return number
    expected = f"be a whole number, {low} or more" if high is None else f"be a whole number from {low} to {high}"
    refuse(argument, expected, given, hint)


def check_function(argument: str, given: object, expected: Text) -> None:
    """Raise OptionError unless the value is None or can be called."""
    if given is not None and not callable(given):
        refuse(argument, expected, given)


def check_average_method(average_method: object) -> None:
    """Raise OptionError for an unknown average method."""
    hint: Text = (Setting("average_method", "none"), " does not divide") if average_method is None else ""
    check_choice("average_method", average_method, _AVERAGE_METHODS, hint)


def check_beta(beta: object) -> float:
    """Return the weight of completeness beside homogeneity, or of recall beside precision, or raise OptionError."""
    hint = "1 weighs both parts alike, more than 1 favours completeness or recall"
    return check_number("beta", beta, "be a finite number of at least 0", low=0.0, hint=hint)


Missing = Literal["raise", "drop", "category"]
NoiseAs = Literal["cluster", "singletons", "drop"]
Names = tuple[str, str]
SIDES: Names = ("labels_true", "labels_pred")

_NOISE_AS: Text = (
    Setting("noise_as", "drop"),
    " leaves it out, ",
    Setting("noise_as", "singletons"),
    " makes each sample a cluster, ",
    Setting("noise_as", "cluster"),
    " keeps it as one cluster",
)
_Function = TypeVar("_Function", bound=Callable[..., Any])
_TEMPLATES = {
    "{policy}": """missing : {"raise", "drop", "category"}, default "raise"
    Samples without a label (None, NaN, NaT, NA or null): "raise" an error, "drop" them from all labellings, or
    make them a "category", one more cluster with the label None.
noise : label, list of labels, or dict, optional
    Labels that mean noise, such as -1 from DBSCAN, in all labellings; a dict gives them for each labelling:
    ``{"labels_true": ..., "labels_pred": ...}``, or by the names of the clusterings if there are many.
noise_as : {"cluster", "singletons", "drop"}, optional
    "cluster" keeps noise as one cluster, as scikit-learn does; "singletons" makes each noise sample a cluster; "drop"
    leaves noise out of all labellings. It is needed with `noise`.""",
    "{labels}": """labels_true, labels_pred : sequence of labels
    One label for each sample: integers, strings, booleans, dates or any hashable objects, in a list, a numpy array or a
    pandas, polars or pyarrow column. Samples are matched by position; a pandas index is not used. `labels_true` makes
    the rows.""",
    "{weight}": """weight : array of int, optional
    The number of samples that each entry counts for: whole numbers, 0 or more. By default each entry is one sample.""",
    "{columns}": """frame : dataframe
    Of pandas, polars (lazy too), pyarrow, DuckDB, Ibis, Dask or PySpark.
truth, predicted : str
    The names of the columns with the labels; they may be the same. `truth` makes the rows.
weight : str, optional
    The column with the number of samples of each row: whole numbers, 0 or more. By default each row is one sample.""",
    "{label errors}": """Raises
------
LabelsError
    If labels cannot be read, differ in number, or are missing with ``missing="raise"``.

Warns
-----
LabelsWarning
    If labels are fractional numbers, if no sample has a label of `noise`, or if two pandas columns have indexes that
    differ.""",
    "{column errors}": """Raises
------
LabelsError
    If a column does not exist, cannot be labels, or has missing labels with ``missing="raise"``.
TableError
    If weights are not whole numbers of samples.

Warns
-----
LabelsWarning
    If labels are fractional numbers, or text such as "NA" that usually means a missing label, or if no sample has a
    label that means noise (lazy engines check up to 16 noise labels one by one).""",
}
"""Parts of docstrings, by the line that they replace."""


class Policy(NamedTuple):
    """Checked options. `noise` lists labels by labelling; it is empty where noise is a cluster like any other."""

    missing: Missing = "raise"
    noise: Mapping[str, Sequence[Any]] = {}
    noise_as: NoiseAs = "cluster"


DEFAULT = Policy()


def documents_policy(function: _Function) -> _Function:
    """Replace lines such as ``{policy}``, the names of templates, in a docstring."""
    lines = (function.__doc__ or "").splitlines()
    for place, line in enumerate(lines):
        if (template := _TEMPLATES.get(line.strip())) is not None:
            lines[place] = indent(template, line[: len(line) - len(line.lstrip())])
    function.__doc__ = "\n".join(lines)
    return function


def takes_random_state(function: _Function) -> _Function:
    """Let a function take `rng` also by scikit-learn's name, `random_state`, with a warning."""

    @wraps(function)
    def called(*given: Any, **options: Any) -> Any:
        if "random_state" in options:
            warn(LabelsWarning("is named rng here", argument="random_state", hint="pass rng=0, or another seed"))
            options["rng"] = options.pop("random_state")
        return function(*given, **options)

    return cast("_Function", called)


def check_policy(
    missing: Missing = "raise", noise: Any = None, noise_as: NoiseAs | None = None, labellings: Sequence[str] = SIDES
) -> Policy:
    """Check the three options for labellings with these names; the defaults return `DEFAULT` itself."""
    if noise is None and noise_as is None and type(missing) is str and missing == "raise":
        return DEFAULT
    check_choice("missing", missing, get_args(Missing))
    if noise_as is not None:
        check_choice("noise_as", noise_as, get_args(NoiseAs))
    if noise is None:
        if noise_as in (None, "cluster"):
            return Policy(missing)
        needs = (Setting("noise_as", noise_as), " needs ", Setting("noise"), ", the label that means noise")
        raise OptionError(needs, hint=(Setting("noise", -1), " for DBSCAN and HDBSCAN"))
    if noise_as is None:
        needs = (Setting("noise"), " needs ", Setting("noise_as"), ", which says what becomes of noise")
        raise OptionError(needs, hint=_NOISE_AS)
    listed = _noise_by_labelling(noise, labellings)
    return Policy(missing, {} if noise_as == "cluster" else listed, noise_as)


def is_missing(item: Any) -> bool:
    """Return whether an item is a missing label: None, NaN, NaT, NA or null."""
    if item is None or type(item).__name__ == "MaskedConstant":  # numpy.ma.masked; numpy is slow to import
        return True
    if getattr(item, "is_valid", True) is False:  # pyarrow's null
        return True
    try:
        return bool(item != item)  # noqa: PLR0124 - NaN and NaT differ from themselves
    except (TypeError, ArithmeticError):  # pandas NA has no truth value, a signalling NaN raises
        return True
    except ValueError:  # an array: no label, but not missing either
        return False


def warn_of_absent_noise(noise: Mapping[str, Sequence[Any]], found: Iterable[Any]) -> None:
    """Warn of labels in the noise of a policy that no sample has, given the labels that samples have.

    A number and a text that spells it, such as -1 and "-1", count as one label: one of them is enough.
    """
    seen = set(map(_meaning, found))
    absent = dict[Any, Any]()
    for label in chain.from_iterable(noise.values()):
        if _meaning(label) not in seen:
            absent.setdefault(_meaning(label), label)
    if absent:
        expected = f"is {' or '.join(map(quoted, absent.values()))}, but no sample has this label"
        warn(LabelsWarning(expected, argument="noise", hint="check its spelling"))


def _meaning(label: Any) -> Any:
    """Return a number for a label that is one or spells one; other labels as they are."""
    try:
        number = float(label)
    except (TypeError, ValueError, OverflowError):
        return label
    return number if math.isfinite(number) else label


def hint_for_missing(leave_out: str) -> Text:
    """Return the hint at the two policies that accept missing labels; "drop" does `leave_out`."""
    drop, category = Setting("missing", "drop"), Setting("missing", "category")
    return drop, f" {leave_out}, ", category, " makes them a cluster"


def _noise_by_labelling(noise: Any, labellings: Sequence[str]) -> dict[str, list[Any]]:
    by_name = noise if isinstance(noise, dict) else dict.fromkeys(labellings, noise)
    unknown = sorted(map(str, by_name.keys() - set(labellings)))
    if unknown:
        expected = f"name labellings ({', '.join(map(repr, labellings[:10]))}) if it is a dict"
        raise OptionError(expected, argument="noise", given=", ".join(map(repr, unknown)))
    return {name: _as_list(labels) for name, labels in by_name.items()}


def _as_list(noise: Any) -> list[Any]:
    """List the labels: several come in a list, a set or an array; a tuple is one label."""
    labels = list(noise) if isinstance(noise, list | set | frozenset) or getattr(noise, "ndim", 0) > 0 else [noise]
    if any(map(is_missing, labels)):
        refuse("noise", "be labels", noise, hint=("use ", Setting("missing"), " for samples without a label"))
    try:
        set(labels)
    except TypeError:
        refuse("noise", "be a label or a list of labels", noise)
    return labels
