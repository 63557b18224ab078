"""Pictures in files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pathlib import Path

_DOTS_PER_INCH = 200
# No dates: the same picture is the same file.
_UNDATED: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def check_pictures(plot: Path | None) -> None:
    """Before anything is read, see that a picture can be drawn at all."""
    if plot is not None:
        import_module("chanceless.plots")
        import_module("matplotlib").use("agg")


def save(plot: Path, kind: str, shown: object) -> None:
    """Draw, by the function plot_<kind>, and write the file."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra, slow to import

    from chanceless import plots  # noqa: PLC0415 - an extra, slow to import
    from chanceless.plots.style import SAVING  # noqa: PLC0415 - an extra, slow to import

    figure = getattr(plots, f"plot_{kind}")(shown).figure
    try:
        with plt.rc_context(SAVING):
            figure.savefig(plot, dpi=_DOTS_PER_INCH, metadata=_UNDATED.get(plot.suffix.lower()))
    except OSError as error:
        msg = f"{str(plot)!r} cannot be written: {error.strerror or error}."
        raise click.ClickException(msg) from error
    finally:
        plt.close(figure)
