"""What is to be compared: two columns of a table, or two files of labels; `-` is standard input."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from chanceless.cli.progress import share_told
from chanceless.cli.wording import as_typed, printable
from chanceless.errors import LabelsWarning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chanceless.counting.spectrum import Spectrum
    from chanceless.counting.table import ContingencyTable
    from chanceless.files import Stream
    from chanceless.policy import Options as Policy

STANDARD_INPUT = "-"
_FORMS = "FILE TRUTH PREDICTED (two columns of a table), or TRUTH_FILE PREDICTED_FILE (one label a line)"
_QUOTED = "Hint: quote a pattern that stands for several files: 'day-*.parquet'."


@dataclass(frozen=True, slots=True)
class Inputs:
    """A table and two of its columns; or, if there is no table, two files of labels."""

    file: str | None
    truth: str
    predicted: str

    def read(self, where: str | None, weight: str | None, policy: Policy) -> ContingencyTable:
        """Count; tell warnings in one line each, as errors are."""
        from chanceless.files import read_label_files, read_table  # noqa: PLC0415 - slow to import

        with warnings_told(), share_told("Reading") as told:
            if self.file is None:
                return read_label_files(opened(self.truth), opened(self.predicted), **policy)
            columns = opened(self.file), self.truth, self.predicted
            return read_table(*columns, where=where, weight=weight, progress=told, **policy)

    def read_spectrum(
        self, where: str | None, weight: str | None, policy: Policy, memory_limit: str | None
    ) -> Spectrum:
        """Count no more than scores need."""
        from chanceless.files import read_spectrum  # noqa: PLC0415 - slow to import

        if self.file is None:
            return self.read(where, weight, policy).spectrum()
        with warnings_told(), share_told("Reading") as told:
            columns = opened(self.file), self.truth, self.predicted
            return read_spectrum(
                *columns, where=where, weight=weight, memory_limit=memory_limit, progress=told, **policy
            )


def as_inputs(given: tuple[str, ...]) -> Inputs:
    """Tell by their number, and by the names of files, what the arguments are."""
    from chanceless.files import is_table  # noqa: PLC0415 - not where only help is wanted

    if len(given) == 3:  # noqa: PLR2004
        return Inputs(*given)
    if len(given) != 2:  # noqa: PLR2004
        few = "Missing arguments" if len(given) < 2 else f"Got unexpected extra arguments ({' '.join(given[3:])})"  # noqa: PLR2004
        several = f" {_QUOTED}" if sum(map(is_table, given)) > 1 else ""
        msg = f"{few}; needed are {_FORMS}.{several}"
        raise click.UsageError(msg)
    if any(map(is_table, given)):
        raise click.UsageError(_why_not_labels(*given, *map(is_table, given)))
    if given == (STANDARD_INPUT, STANDARD_INPUT):
        msg = "Only one of the two files can be standard input."
        raise click.UsageError(msg)
    return Inputs(None, *given)


def _why_not_labels(first: str, second: str, first_is_table: bool, second_is_table: bool) -> str:
    if first_is_table and second_is_table:
        return f"{first!r} and {second!r} are tables; needed are two columns of one table: FILE TRUTH PREDICTED."
    if first_is_table:
        return f"Missing argument 'PREDICTED': {first!r} is a table, so name two of its columns: FILE TRUTH PREDICTED."
    return f"{second!r} is a table, but {first!r} is not; needed are {_FORMS}."


def opened(name: str) -> str | Stream:
    """A file by its name, or standard input."""
    if name != STANDARD_INPUT:
        return name
    from chanceless.files import Stream  # noqa: PLC0415 - not where only help is wanted

    return Stream(sys.stdin.buffer)


def shown(name: str) -> str:
    """What people call it."""
    return "standard input" if name == STANDARD_INPUT else name


@contextmanager
def warnings_told() -> Iterator[None]:
    """Tell warnings in one line each, as errors are."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LabelsWarning)
        yield
    for warning in caught:
        if issubclass(warning.category, LabelsWarning):
            warn(str(warning.message))


def warn(message: str) -> None:
    """Tell what to mind, beside the output."""
    click.echo(f"Warning: {printable(as_typed(message))}", err=True)
