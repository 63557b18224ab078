"""Exceptions and warnings, which carry fields instead of finished sentences.

ChancelessError
├── LabelsError   labels that cannot be read (also a ValueError)
├── TableError    cells, matrices, spectra or files that are not a contingency table (also a ValueError)
├── OptionError   an option with an unknown value (also a ValueError)
└── ExtraError    a dependency that is not installed (also an ImportError)

LabelsWarning (a UserWarning) is for labels that are allowed but probably not intended.

`str()` renders the fields for Python; the command line renders the same fields with its own option names.
"""

from __future__ import annotations

import reprlib
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ChancelessError", "ExtraError", "LabelsError", "LabelsWarning", "OptionError", "TableError"]
__dir__ = __all__.copy
_LONGEST = 80
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = _LONGEST
_PACKAGE = str(Path(__file__).parent)


class Setting(NamedTuple):
    """An option inside a text: `missing="drop"` in Python, `--missing drop` on the command line.

    A pair is an entry of a dict: `on={"id": "cell"}`, `--on id=cell`.
    """

    argument: str
    value: str | int | tuple[str, str] | None = None


Text = str | tuple[str | Setting, ...]
"""A sentence or a part of one; options in it are settings."""


class Source(NamedTuple):
    """Where the data came from: a file or stream (None for a dataframe), a row (1 is the first), a column."""

    file: str | None = None
    row: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        """Name the most precise place: "column 'a' of 'cells.csv', row 7"."""
        column = "" if self.column is None else f"column {self.column!r}"
        place = " of ".join(filter(None, [column, self.file]))
        return place if self.row is None else f"{place}, row {self.row}"


class Wording:
    """Names of options as Python spells them; the command line has another wording."""

    def argument(self, name: str) -> str:
        """Name an argument."""
        return name

    def setting(self, setting: Setting) -> str:
        """Name an argument and its value."""
        name, value = self.argument(setting.argument), setting.value
        if isinstance(value, tuple):
            return f'{name}={{"{value[0]}": "{value[1]}"}}'
        return name if value is None else f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}"

    def text(self, text: Text) -> str:
        """Render a text."""
        parts = (text,) if isinstance(text, str) else text
        return "".join(part if isinstance(part, str) else self.setting(part) for part in parts)


PYTHON = Wording()


def written(label: Any, write: Callable[[Any], str] = str) -> str:
    """Write a label as `str` or `repr` do; integers of more than 4300 digits, which Python refuses, in hexadecimal.

    Examples
    --------
    >>> written(12), written("a", repr), written(16**5000)[:6]
    ('12', "'a'", '0x1000')
    """
    try:
        return write(label)
    except Exception:  # any class may be a label
        return hex(label) if isinstance(label, int) else f"<{type(label).__name__}>"


def quoted(label: Any) -> str:
    """Write a label for a message, as `repr` does, without its middle if it is long.

    Examples
    --------
    >>> quoted("a"), len(quoted("long" * 100)), len(quoted(16**5000))
    ("'a'", 80, 80)
    """
    text = written(label, _SHORT.repr)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2 - 1]}...{text[-_LONGEST // 2 + 2 :]}"


class Fields:
    """The fields of an error or a warning.

    Attributes
    ----------
    argument : str or None
        The argument that is wrong, as the Python function spells it.
    expected : Text
        What it must do, starting with a verb: "be one of 'a', 'b'". In a warning, what it does: "has the label 'NA'".
        Without argument and source, a whole sentence: "order needs scipy, which is not installed".
    given : Text
        What was found instead, as a noun: "an array of shape (3, 2)".
    hint : Text
        What to do about it.
    source : Source or None
        The file, row or column that is wrong; it replaces the argument in the rendered sentence.
    """

    _verb = "must "
    argument: str | None
    expected: Text
    given: Text
    hint: Text
    source: Source | None

    def __init__(
        self,
        expected: Text = "",
        *,
        argument: str | None = None,
        given: Text = "",
        hint: Text = "",
        source: Source | None = None,
    ) -> None:
        super().__init__()
        self.argument, self.expected, self.given, self.hint, self.source = argument, expected, given, hint, source

    def render(self, wording: Wording = PYTHON) -> str:
        """Write the sentence: "labels must be a list, got 3. Hint: pass [3]."."""
        source = self.source or Source()
        subject = str(source._replace(row=None)) or ("" if self.argument is None else wording.argument(self.argument))
        row = "" if source.row is None else f" (row {source.row})"
        start = f"{subject} {self._verb}" if subject else ""
        got = f", got {wording.text(self.given)}" if self.given else ""
        hint = f" Hint: {_ended(wording.text(self.hint))}" if self.hint else ""
        return _ended(f"{start}{wording.text(self.expected)}{got}{row}") + hint

    def __str__(self) -> str:
        """Render for Python."""
        return self.render()

    def __repr__(self) -> str:
        """Show the type and the sentence, as logs of other libraries do."""
        return f"{type(self).__name__}({str(self)!r})"

    if not TYPE_CHECKING:  # mypy wants it writeable

        @property
        def args(self) -> tuple[str]:
            """The sentence: other libraries read the first argument of an exception."""
            return (str(self),)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the fields and notes: errors cross processes in Dask, Spark and joblib."""
        return type(self), (), self.__dict__.copy()


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?")) else f"{sentence}."


class ChancelessError(Fields, Exception):
    """The root of all errors that chanceless raises on purpose."""


class LabelsError(ChancelessError, ValueError):
    """Labels that cannot be read."""


class TableError(ChancelessError, ValueError):
    """Cells, matrices, spectra or files that are not a contingency table."""


class OptionError(ChancelessError, ValueError):
    """An option with an unknown value."""


class ExtraError(ChancelessError, ImportError):
    """A dependency that is not installed because it belongs to an extra.

    `name` is the package, if it is known, and `msg` the sentence, as for every ImportError.
    """

    if not TYPE_CHECKING:  # mypy wants it writeable

        @property
        def msg(self) -> str:
            """The sentence."""
            return str(self)

        @property
        def name(self) -> str | None:
            """The package that could not be imported; None if it is not known."""
            return getattr(self.__cause__, "name", None)


class LabelsWarning(Fields, UserWarning):
    """Labels or options that are allowed but probably not intended, such as measurements instead of names."""

    _verb = ""


def warn(warning: LabelsWarning) -> None:
    """Issue a warning at the line of the user's code that called chanceless."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)
