"""Clusters of even sizes: how alike are tens and clusters of s consecutive samples, for every s? (Figure 1)"""

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from chanceless import Spectrum
from paper.results import FULL, GREY, PAIRWISE, Claim, Result, Settings, Table, panels, shown
from paper.scoring import ADJUSTMENTS, UNITS

NAME = "even-sizes"
TITLE = "Clusters of even sizes"
N_SAMPLES = 100
REFERENCE_SIZE = 10
PEAKS = (5, 20, 30, 40, 50, 60, 70, 80, 90)

Numbers = dict[str, dict[str, list[float]]]


def run(_settings: Settings) -> Result:
    """Compare A(10) with A(1), ..., A(100), un-normalised as in the paper and normalised; nothing is random."""
    numbers = similarities()
    return Result(
        name=NAME,
        title=TITLE,
        parameters={"n_samples": N_SAMPLES, "reference_size": REFERENCE_SIZE},
        numbers=numbers,
        claims=[claim for adjustment in ADJUSTMENTS for claim in claims(adjustment, numbers["nats"][adjustment])],
        tables=[table(numbers)],
        figures={
            NAME: draw(numbers["nats"], "similarity (nats)"),
            f"{NAME}-normalised": draw(numbers["normalised"], "similarity"),
        },
    )


def similarities() -> Numbers:
    """Score A(10) against A(s), s = 1, ..., 100, by both adjustments: in nats, and normalised."""
    spectra = [Spectrum.from_labels(consecutive(REFERENCE_SIZE), consecutive(size)) for size in range(1, N_SAMPLES + 1)]
    return {
        unit: {
            name: [score(spectrum, average_method=method) for spectrum in spectra]
            for name, score in ADJUSTMENTS.items()
        }
        for unit, method in UNITS.items()
    }


def consecutive(size: int) -> NDArray[np.int64]:
    """Put each `size` consecutive samples into one cluster; the last may be smaller."""
    return np.arange(N_SAMPLES) // size


def claims(adjustment: str, values: list[float]) -> list[Claim]:
    """Check the statements of the paper about its figure."""
    largest = 1 + int(np.argmax(values))
    peaks = [size for size in range(2, N_SAMPLES) if values[size - 1] > max(values[size - 2], values[size])]
    missing = sorted({*PEAKS} - {*peaks})
    others = [size for size in peaks if size not in {*PEAKS, REFERENCE_SIZE}]
    ends = values[0], values[-1]
    return [
        Claim(f"{adjustment}: the maximum is at s = 10", f"at s = {largest}", largest == REFERENCE_SIZE),
        Claim(f"{adjustment}: zero at s = 1 and s = 100", f"{ends[0]:g} and {ends[1]:g}", ends == (0.0, 0.0)),
        Claim(
            f"{adjustment}: local peaks at s = 5, 20, 30, ..., 90",
            f"{'all there' if not missing else f'none at {missing}'}; further peaks at {others or 'no other s'}",
            not missing,
        ),
    ]


def table(numbers: Numbers) -> Table:
    """Return the similarities of the sizes in the paper's text."""
    rows = [
        [str(size), *(shown(numbers[unit][name][size - 1], 4) for unit in numbers for name in ADJUSTMENTS)]
        for size in (1, *sorted((*PEAKS, REFERENCE_SIZE)), N_SAMPLES)
    ]
    header = ["s", "full (nats)", "pairwise (nats)", "full, normalised (AMI)", "pairwise, normalised (PAMI)"]
    return Table("Similarity of A(10) and A(s)", header, rows)


def draw(curves: dict[str, list[float]], unit: str) -> Figure:
    """Draw both curves side by side, as the paper does."""
    figure, axes = panels(*(f"{name.capitalize()} adjustment" for name in curves), x="cluster size s", y=unit)
    for one, values, colour in zip(axes, curves.values(), (FULL, PAIRWISE), strict=True):
        one.axhline(0.0, color=GREY, linewidth=0.8)
        one.plot(range(1, N_SAMPLES + 1), values, color=colour)
        for size in (REFERENCE_SIZE, *PEAKS):
            one.plot(size, values[size - 1], "o", color=colour, markersize=3)
    return figure
