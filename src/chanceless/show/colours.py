"""The colours of pictures, notebooks, pages and terminals, and of text on them."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

SIGNED = ("#5F2200", "#A24400", "#DD7334", "#F3B68F", "#F4F4F4", "#9AC6E5", "#4C92C6", "#035F97", "#052F55")
"""From -1, brown, over 0, nearly white, to 1, dark blue. Neighbours are equally far apart in OKLab."""
SHARES = ("#D7E6F5", "#B1D0E6", "#86BBE1", "#64A3D4", "#438AC7", "#2272B0", "#005B93", "#024572", "#052F55")
"""From a small share to all, on a light background. Neighbours are equally far apart in OKLab."""
SHARES_ON_DARK = ("#0F2A44", "#123A5E", "#15497A", "#1D5C96", "#2A6BA5", "#5B96CC", "#7FAFD9", "#A5C8E6", "#D7E6F5")
CATEGORIES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#D9C600", "#8C7BD8")
"""Colours of single clusters."""
VERDICTS = {"kept": "green", "split": "yellow", "merged": "yellow", "part": "yellow", "scattered": "red"}
"""Colours of verdicts in terminals; others have none."""
_LUMINANCE = (0.2126, 0.7152, 0.0722)
_STEPS = 100
"""Colours on either side of 0."""
# Where black and white have the same contrast to a background: (l + 0.05) / 0.05 = 1.05 / (l + 0.05).
_MIDDLE = (1.05 * 0.05) ** 0.5 - 0.05


def colour_pair(value: float) -> tuple[str, str]:
    """Return the background for a value from -1 to 1, and the colour of text with the most contrast to it.

    Examples
    --------
    >>> colour_pair(0.0), colour_pair(1.0)
    (('#f4f4f4', '#000'), ('#052f55', '#fff'))
    """
    return _pair(round(_STEPS * min(max(value, -1.0), 1.0)))


@cache
def _pair(step: int) -> tuple[str, str]:
    place = (step + _STEPS) * (len(SIGNED) - 1) / (2 * _STEPS)
    left, right = list(pairwise(SIGNED))[min(int(place), len(SIGNED) - 2)]
    share = place - min(int(place), len(SIGNED) - 2)
    mixed = [round(a + share * (b - a)) for a, b in zip(_channels(left), _channels(right), strict=True)]
    background = "#" + "".join(f"{channel:02x}" for channel in mixed)
    return background, text_colour(background)


def text_colour(background: str) -> str:
    """Return black or white, whichever has more contrast to a background."""
    return "#000" if luminance(background) > _MIDDLE else "#fff"


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, from 0 for black to 1 for white, as defined by WCAG 2."""
    shares = [channel / 255 for channel in _channels(colour)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]  # noqa: PLR2004 - of sRGB
    return sum(weight * share for weight, share in zip(_LUMINANCE, linear, strict=True))


def _channels(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
