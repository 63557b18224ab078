"""Results that can be written as a page."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike


class Reportable:
    """A result with a report."""

    __slots__ = ()

    def report(self, path: str | PathLike[str]) -> None:
        """Write the result as one HTML page that anybody can open: no network, no Python.

        The page of a comparison has the scores with one sentence each, what split and merged, and pictures; that of
        many clusterings has their table. Each has caveats, versions, and the numbers as JSON. It appears under its
        name when it is complete; a file of this name is replaced.

        Parameters
        ----------
        path : str or path
            The page to write, such as "report.html", in a folder that exists.

        Raises
        ------
        OptionError
            If the path does not name a page.
        TableError
            If the page cannot be written, or if there are no samples.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from chanceless import compare
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     compare(["cat", "cat", "dog"], [1, 1, 2]).report(Path(folder) / "report.html")
        ...     (Path(folder) / "report.html").read_text(encoding="utf-8")[:15]
        '<!DOCTYPE html>'
        """
        # against the direction of data, and so loaded on demand, as are the names of the package
        import_module("chanceless.report").write_report(self, path)
