"""Draw pictures to files."""

from __future__ import annotations

import math
from importlib import import_module
from pathlib import Path
from typing import Any

import click

_DOTS_PER_INCH = 200
_FORMATS = (".png", ".svg", ".pdf")
# No dates: the same picture is the same file.
_UNDATED: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


class Picture(click.Path):
    """The name of a picture. A missing extra is reported here, before anything is read."""

    name = "picture"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Check the format, and that pictures can be drawn at all."""
        path = Path(str(super().convert(value, param, ctx)))
        if path.suffix.lower() not in _FORMATS:
            self.fail(f"{str(path)!r} must end in .png, .svg or .pdf, the format of the picture.", param, ctx)
        if ctx is None or not ctx.resilient_parsing:  # as for completion
            import_module("chanceless.plots")
            import_module("matplotlib").use("agg")
        return path


def parse_limits(_context: click.Context, _option: click.Parameter, value: str | None) -> tuple[float, float] | None:
    """Read two numbers with a comma between them, the smaller first."""
    if value is None:
        return None
    try:
        low, high = (float(number) for number in value.split(","))
    except ValueError:
        low = high = math.nan
    if not -math.inf < low < high < math.inf:
        msg = f"{value!r} must be two numbers, the smaller first, such as 0.9,1."
        raise click.BadParameter(msg)
    return low, high


def save(plot: Path, kind: str, shown: object, **options: Any) -> None:
    """Draw with plot_<kind> and its options, and write the file."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra, slow to import

    from chanceless import plots  # noqa: PLC0415 - an extra, slow to import
    from chanceless.plots.style import SAVING, applied  # noqa: PLC0415 - an extra, slow to import

    figure = getattr(plots, f"plot_{kind}")(shown, **options).figure
    try:
        with applied(SAVING):
            figure.savefig(plot, dpi=_DOTS_PER_INCH, metadata=_UNDATED.get(plot.suffix.lower()))
    except OSError as error:
        msg = f"{str(plot)!r} cannot be written: {error.strerror or error}."
        raise click.ClickException(msg) from error
    finally:
        plt.close(figure)
