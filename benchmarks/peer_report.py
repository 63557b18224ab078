"""The result of peers.py as Markdown and as a picture."""

import os
import platform
from dataclasses import dataclass, field
from importlib import import_module as load
from importlib import metadata
from itertools import groupby
from pathlib import Path

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


def cells_of(row: Row, peers: list[str], columns: list[str]) -> list[str]:
    """Return a line of a table: the columns that the group has, then every peer."""
    best = min(row.peers, key=row.peers.__getitem__, default=None)
    shown = {
        "before": row.before and f"{human(row.before)} ({times(row.before / row.ours)})",
        "of the best peer": best and f"{row.ours / row.peers[best]:.2g} ({best})",
        "of the floor": row.floor and f"{row.ours / row.floor:.2g}",
    }
    theirs = [f"{human(row.peers[p])} ({times(row.peers[p] / row.ours)})" if p in row.peers else "" for p in peers]
    return [row.work, human(row.ours), *(shown[name] or "" for name in columns), *theirs]


def group_table(name: str, rows: list[Row]) -> str:
    peers = [peer for peer in STYLES if any(peer in row.peers for row in rows)]
    present = {
        "before": any(row.before for row in rows),
        "of the best peer": bool(peers),
        "of the floor": any(row.floor for row in rows),
    }
    columns = [column for column, is_present in present.items() if is_present]
    return table([name, "chanceless", *columns, *peers], [cells_of(row, peers, columns) for row in rows])


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
        "Versions": [f"{name} {metadata.version(name)}" for name in sorted(present, key=str.lower)],
    }
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    parts = [
        f"{machine}. Best of several rounds; in brackets the time as a multiple of chanceless's.",
        "Shares: our time as a share of that of the best peer, and of the floor, which is numpy's sums of both arrays.",
    ]
    parts += [group_table(name, list(rows)) for name, rows in groupby(measured.rows, lambda row: row.group)]
    parts += [f"{title}:\n\n" + "\n".join(f"* {line}" for line in lines or ["none"]) for title, lines in lists.items()]
    return "\n\n".join(parts) + "\n"


def draw(rows: list[Row], output: Path) -> None:
    """Draw the rows that have a peer; write peers.svg and peers.png."""
    rows = [row for row in rows if row.peers]
    figure = load("matplotlib.figure").Figure(figsize=(9, 1.8 + 0.27 * len(rows)), layout="constrained")
    axes = figure.subplots()
    axes.axvline(1, color="black", linewidth=1)
    for place, (peer, (colour, marker)) in enumerate(STYLES.items()):
        height = place % 3 * 0.2 - 0.2  # so that equal times do not hide each other
        dots = [(row.peers[peer] / row.ours, y + height) for y, row in enumerate(rows) if peer in row.peers]
        if dots:
            axes.plot(*zip(*dots, strict=True), marker, color=colour, label=peer, markersize=6, alpha=0.9)
    for y, row in enumerate(rows[1:]):
        if row.group != rows[y].group:
            axes.axhline(y + 0.5, color="#AAAAAA", linewidth=0.8)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_yticks(range(len(rows)), [f"{row.work}: {human(row.ours)}" for row in rows], fontsize=8)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(color="#E5E5E5", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("time as a multiple of chanceless's (left of the line the peer is faster)")
    figure.legend(loc="outside lower center", ncols=6, frameon=False, fontsize=8)
    with load("matplotlib").rc_context({"svg.hashsalt": "chanceless", "svg.fonttype": "none"}):
        figure.savefig(output / "peers.svg", metadata={"Date": None})
        figure.savefig(output / "peers.png", dpi=150)
