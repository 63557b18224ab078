"""The result of peers.py as Markdown and as a picture."""

import os
import platform
from dataclasses import dataclass, field
from importlib import import_module as load
from importlib import metadata
from itertools import groupby
from pathlib import Path
from textwrap import fill

from peer_calls import INSTALL, is_installed, library
from timing import table

# Okabe and Ito's colours: distinct for the colour-blind too. Where two peers share one, the markers differ.
STYLES = {
    "scikit-learn": ("#D55E00", "o"),
    "genieclust": ("#0072B2", "s"),
    "igraph": ("#CC79A7", "^"),
    "fastami": ("#E69F00", "D"),
    "numpy bincount": ("#7F7F7F", "X"),
    "numpy unique": ("#7F7F7F", "P"),
    "numpy sort": ("#7F7F7F", "v"),
    "numpy formula": ("#7F7F7F", "H"),
    "scipy sparse": ("#56B4E9", "*"),
    "pandas groupby": ("#009E73", "s"),
    "pandas factorize": ("#009E73", "<"),
    "pandas codes": ("#009E73", "d"),
    "polars": ("#000000", "o"),
    "DuckDB": ("#E69F00", "p"),
    "pyarrow": ("#CC79A7", ">"),
}

COLUMNS = """\
"Of the best peer": our time divided by that of the fastest other library. "Of the floor": divided by numpy's time to
sum both arrays."""


@dataclass
class Row:
    """One line of the result, in seconds: this build, the build before it, the floor and the peers."""

    group: str
    work: str
    ours: float
    before: float | None
    floor: float | None
    peers: dict[str, float]


@dataclass
class Measured:
    """All that was measured, and what is to be said about it."""

    rows: list[Row] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


def human(seconds: float) -> str:
    unit, scale = next((pair for pair in (("s", 1.0), ("ms", 1e-3)) if seconds >= pair[1]), ("us", 1e-6))
    return f"{seconds / scale:.3g} {unit}"


def times(ratio: float) -> str:
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.2g}x"


def beside(row: Row, peer: str) -> str:
    """Return the time of a peer, and how many times ours it is."""
    return f"{human(row.peers[peer])} ({times(row.peers[peer] / row.ours)})"


def fastest(row: Row) -> str:
    return min(row.peers, key=row.peers.__getitem__, default="")


def first_of_each_group(rows: list[Row]) -> list[Row]:
    """Return what the short table and the picture have."""
    return [next(of_group) for _, of_group in groupby(rows, lambda row: row.group)]


def short_table(rows: list[Row]) -> str:
    lines = []
    for row in first_of_each_group(rows):
        best = fastest(row)
        sklearn = beside(row, "scikit-learn") if "scikit-learn" in row.peers else ""
        lines.append([f"{row.group}: {row.work}", human(row.ours), best and f"{best}: {beside(row, best)}", sklearn])
    return table(["task", "chanceless", "the fastest other library", "scikit-learn"], lines)


def full_table(rows: list[Row]) -> str:
    """Return a line for each row, and columns only for what was measured."""
    columns = {
        "chanceless": [human(row.ours) for row in rows],
        "before": [row.before and f"{human(row.before)} ({times(row.before / row.ours)})" for row in rows],
        "the fastest other": [best and f"{best}: {human(row.peers[best])}" for row in rows for best in [fastest(row)]],
        "of the best peer": [row.peers and f"{row.ours / min(row.peers.values()):.2g}" for row in rows],
        "of the floor": [row.floor and f"{row.ours / row.floor:.2g}" for row in rows],
    }
    columns = {name: [cell or "" for cell in cells] for name, cells in columns.items() if any(cells)}
    names = [f"{row.group}: {row.work}" for row in rows]
    return table(["task", *columns], [list(line) for line in zip(names, *columns.values(), strict=True)])


def slower(row: Row) -> str:
    faster = sorted((peer for peer in row.peers if row.peers[peer] < row.ours), key=row.peers.__getitem__)
    peers = ", ".join(f"{peer} ({times(row.ours / row.peers[peer])})" for peer in faster)
    return f"slower than {peers} on {row.group}, {row.work}" if peers else ""


def report(measured: Measured) -> str:
    present = {library(peer) for peer in measured.asked if is_installed(peer)} | {"chanceless", "numpy"}
    absent = sorted({library(peer) for peer in measured.asked} - present)
    lists = {
        "Where a peer is faster than chanceless": [line for row in measured.rows if (line := slower(row))],
        "Answers that differ by more than 1e-12, and failures": measured.notes,
        "Not installed": [f"{name}: `{INSTALL.get(name, f'pip install {name}')}`" for name in absent],
        "Versions": [", ".join(f"{name} {metadata.version(name)}" for name in sorted(present, key=str.lower))],
    }
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    parts = [
        f"{machine}. Best of several rounds; in brackets the time as a multiple of chanceless's.",
        short_table(measured.rows),
        "![time of other libraries as a multiple of chanceless's](peers.svg)",
        f"<details>\n<summary>All {len(measured.rows)} tasks</summary>",
        COLUMNS,
        full_table(measured.rows),
        *(
            f"{title}:\n\n" + "\n".join(fill(f"* {line}", 120, subsequent_indent="  ") for line in lines)
            for title, lines in lists.items()
            if lines
        ),
        "</details>",
    ]
    return "\n\n".join(parts) + "\n"


def draw(rows: list[Row], output: Path) -> None:
    """Draw the first row of each group; write peers.svg and peers.png."""
    rows = first_of_each_group([row for row in rows if row.peers])
    figure = load("matplotlib.figure").Figure(figsize=(9, 1.5 + 0.4 * len(rows)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(1, color="black", linewidth=1)
    for place, (peer, (colour, marker)) in enumerate(STYLES.items()):
        height = place % 3 * 0.2 - 0.2  # so that equal times do not hide each other
        dots = [(row.peers[peer] / row.ours, y + height) for y, row in enumerate(rows) if peer in row.peers]
        if dots:
            axes.plot(*zip(*dots, strict=True), marker, color=colour, label=peer, markersize=6, alpha=0.9)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_yticks(range(len(rows)), [f"{row.group}\n{row.work}" for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(color="#E5E5E5", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("times as long as chanceless")
    figure.legend(loc="outside lower center", ncols=5, frameon=False)
    with load("matplotlib").rc_context({"svg.hashsalt": "chanceless", "svg.fonttype": "none"}):
        figure.savefig(output / "peers.svg", metadata={"Date": None})
        figure.savefig(output / "peers.png", dpi=150)
