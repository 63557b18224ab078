"""The place of a picture: new axes, or those of the caller, where it leaves the room of its neighbours to them."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.gridspec import SubplotSpec
from matplotlib.transforms import Bbox

from chanceless.plots.plot_text import LINE, caption, width
from chanceless.plots.style import LARGE, SMALL, check_axes, drawing, size_in_points

_PAD = 4
"""around a picture, in points"""
_ABOVE = 8
"""between a picture and its title; names at its upper edge rise above it by half a line"""
_BESIDE_TITLE = 10
"""the same beside a title, which moves a little when it gets another line"""
_LEAST = 0.3
"""the share of its slot that a picture keeps, however much is beside it"""
_BESIDE, _BELOW = 0.24, 0.3
"""the share of a slot that names beside and below a picture may take"""
_TITLE = 0.33
"""the share of the height of a slot that a title may take"""
_ROUNDS = 3
_SPACE = re.compile(" (?!%)")
"""where lines may be broken"""


@contextmanager
def picture(ax: Axes | None, width: float, height: float) -> Iterator[Axes]:
    """Yield the given axes, or new ones of this size in inches; in the end, fit the picture into its slot."""
    with drawing(ax, width, height) as axes:
        yield axes
        engine = axes.figure.get_layout_engine()
        if ax is None and engine is not None:
            engine.execute(axes.figure)  # type: ignore[arg-type]
        fit(axes, is_placed=ax is None)


def fit(ax: Axes, *, is_placed: bool = False) -> None:
    """Break long lines of text, and fit all that is drawn so far into the slot of the axes."""
    for _ in range(_ROUNDS):
        _wrap_texts(ax, is_placed or ax.figure.get_layout_engine() is None)
        _shrink(ax)


def slot_size(ax: object) -> tuple[float, float]:
    """Return the width and height, in points, of the part of the figure that belongs to the axes of the caller.

    A new figure is made as large as its names need.
    """
    given = check_axes(ax)
    if given is None:
        return np.inf, np.inf
    slot, points = _slot(given), 72 / given.figure.dpi
    return slot.width * given.figure.bbox.width * points, slot.height * given.figure.bbox.height * points


def room_for_names(ax: object, n_below: int = 0) -> tuple[float, float]:
    """Return how wide names beside the axes of the caller, and that many names below them, may be, in points.

    Names below are vertical unless they fit side by side.
    """
    width, height = slot_size(ax)
    return _BESIDE * width, max(_BELOW * height, 0.7 * width / n_below - SMALL if n_below else 0.0)


def write_title(ax: Axes, lines: Sequence[str]) -> None:
    """Write a title of several lines; its label keeps them, however they are broken."""
    ax.set_title("\n".join(lines), pad=_ABOVE, **caption())
    ax.title.set_label("\n".join(lines))


def write_label(axis: Axis, text: str) -> None:
    """Write the label of an axis; its own label keeps it, however it is broken into lines."""
    axis.set_label_text(text, **caption())
    axis.label.set_label(text)


def _wrap_texts(ax: Axes, is_placed: bool) -> None:
    """Break the lines of the title and of the labels of axes where they are too long."""
    slot, points = _slot(ax), 72 / ax.figure.dpi
    middle = ax.get_position().x0 + ax.get_position().width / 2
    # a layout engine may still have to place the axes
    share = 2 * min(middle - slot.x0, slot.x1 - middle) if is_placed else slot.width
    room = share * ax.figure.bbox.width * points - 2 * _BESIDE_TITLE
    most = int(_TITLE * slot.height * ax.figure.bbox.height * points / (LARGE * LINE))
    ax.title.set_text(_wrapped_title(str(ax.title.get_label()), room, most))
    _wrap_label(ax.xaxis, room)
    for axes in (ax, *ax.child_axes):
        _wrap_label(axes.yaxis, size_in_points(ax)[1])


def _wrapped_title(title: str, room: float, most: int) -> str:
    """Break the lines of a title; of those after the first, leave out the last ones that do not fit."""
    first, *others = (wrapped(line, room) for line in title.split("\n"))
    lines = first
    for parts in others:
        if len(lines) + len(parts) > most:
            break
        lines += parts
    return "\n".join(lines)


def _wrap_label(axis: Axis, room: float) -> None:
    """Break the label of an axis, if it is ours, into two lines at most."""
    if text := str(axis.label.get_label()):
        axis.label.set_text("\n".join(wrapped(text, max(room, 0.7 * width([text], LARGE)))))


def wrapped(line: str, room: float) -> list[str]:
    """Break a line between words into as few lines as fit, all of about the same width.

    Examples
    --------
    >>> wrapped("one two three four", 100.0), wrapped("one two three four", 80.0)
    (['one two three four'], ['one two', 'three four'])
    """
    whole = width([line], LARGE)
    fewest = len(_filled(line, room))
    rooms = np.linspace(whole / fewest, room, 9) if fewest > 1 else [room]
    return next((lines for narrow in rooms if len(lines := _filled(line, narrow)) == fewest), [line])


def _filled(line: str, room: float) -> list[str]:
    """Break a line between words, with as many words in each line as fit."""
    lines = [""]
    for word in _SPACE.split(line):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and width([longer], LARGE) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


@dataclass(frozen=True)
class Shrunk:
    """An axes locator: a smaller place for axes, unless somebody moves them or a layout engine places them."""

    spec: SubplotSpec
    given: Bbox
    place: Bbox

    def __call__(self, ax: Any, _renderer: RendererBase | None) -> Bbox:
        """Return the place of the axes."""
        now: Bbox = ax.get_position(original=True)
        is_moved = ax.figure.get_layout_engine() is not None or not np.array_equal(now.bounds, self.given.bounds)
        return now if is_moved else self.place

    def get_subplotspec(self) -> SubplotSpec:
        """Return what tight_layout asks for."""
        return self.spec


def _shrink(ax: Axes) -> None:
    """Shrink the axes of a figure without layout engine until names and title are inside the slot."""
    spec, locator = ax.get_subplotspec(), ax.get_axes_locator()
    if spec is None or ax.figure.get_layout_engine() is not None or not isinstance(locator, Shrunk | None):
        return
    outer = _box(ax).transformed(ax.figure.transSubfigure.inverted())
    inner, slot = ax.get_position(), _slot(ax)
    across, down = (_PAD * ax.figure.dpi / 72 / length for length in (ax.figure.bbox.width, ax.figure.bbox.height))
    x0, x1 = _between(slot.intervalx, inner.x0 - outer.x0 + across, outer.x1 - inner.x1 + across)
    y0, y1 = _between(slot.intervaly, inner.y0 - outer.y0 + down, outer.y1 - inner.y1 + down)
    shrunk = Shrunk(spec, ax.get_position(original=True), Bbox.from_extents(x0, y0, x1, y1))
    ax.set_axes_locator(shrunk)
    ax.apply_aspect(shrunk.place)


def _box(ax: Axes) -> Bbox:
    """Return the box around the axes, their names and the height of their title."""
    box = ax.get_tightbbox(for_layout_only=True)
    return ax.bbox.frozen() if box is None else box


def _between(slot: Sequence[float], before: float, after: float) -> tuple[float, float]:
    """Leave room before and after, as far as there is some."""
    whole = slot[1] - slot[0]
    shrink = min(1.0, (1 - _LEAST) * whole / (before + after))
    return slot[0] + shrink * before, slot[1] - shrink * after


def _slot(ax: Axes) -> Bbox:
    """Return the part of the figure that belongs to the axes, up to half the way to its neighbours."""
    spec = ax.get_subplotspec()
    if spec is None:
        return Bbox.unit()
    edges = Bbox.unit()
    topmost = spec.get_topmost_subplotspec()
    if topmost is not spec and topmost.get_gridspec() is not spec.get_gridspec():
        edges = _cell(ax, topmost, edges)
    return _cell(ax, spec, edges)


def _cell(ax: Axes, spec: SubplotSpec, edges: Bbox) -> Bbox:
    bottoms, tops, lefts, rights = spec.get_gridspec().get_grid_positions(ax.figure)  # type: ignore[arg-type]
    (first, last), (top, bottom) = ((span.start, span.stop - 1) for span in (spec.colspan, spec.rowspan))
    x0 = (rights[first - 1] + lefts[first]) / 2 if first else edges.x0
    x1 = (rights[last] + lefts[last + 1]) / 2 if last + 1 < len(lefts) else edges.x1
    y0 = (bottoms[bottom] + tops[bottom + 1]) / 2 if bottom + 1 < len(tops) else edges.y0
    y1 = (bottoms[top - 1] + tops[top]) / 2 if top else edges.y1
    return Bbox.from_extents(x0, y0, x1, y1)
