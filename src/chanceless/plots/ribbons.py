"""Ribbons of flows and trees as paths of matplotlib."""

from matplotlib.path import Path

from chanceless.layout.flow_layout import outline

_CODES = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]


def ribbon(start: float, end: float, width: float, between: tuple[float, float]) -> Path:
    """Return the outline of a ribbon."""
    points = outline(start, end, width, between)
    return Path([*points, points[0]], _CODES)
