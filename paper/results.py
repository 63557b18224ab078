"""Settings and results of an experiment: numbers, claims beside the paper's, tables and figures; their look."""

import io
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from chanceless import __version__
from paper.work import Cache, write_atomically

_VERSIONS_OF = ("numpy", "scipy", "scikit-learn", "matplotlib")
# One colour for each way to score, in every figure: the colour-blind safe palette of Okabe and Ito, and a grey.
FULL, PAIRWISE, PEER, TEXTBOOK, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7F7F7F"
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E5E5E5",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
}
# Text stays text, and the same figure gives the same file.
_SAVING: dict[Any, Any] = {"svg.hashsalt": "chanceless", "svg.fonttype": "none"}
_DOTS_PER_INCH = 150
# Without date and version, so that the same numbers give the same file.
_NO_METADATA = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of an experiment; processes None means one for each core."""

    output: Path
    seed: int = 1
    quick: bool = False
    processes: int | None = None
    data: Path | None = None
    memory_gib: float = 8.0
    time_limit: float = 900.0

    def cache(self, experiment: str, **origin: Any) -> Cache:
        """Return the cache of an experiment with these parameters and the installed versions."""
        origin |= {"experiment": experiment, "seed": self.seed, "versions": versions()}
        return Cache(self.output / "cache" / experiment, origin)


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the paper, the measured numbers, and whether it holds: None if they cannot tell."""

    claim: str
    measured: str
    holds: bool | None

    @property
    def verdict(self) -> str:
        """Whether it holds, in words."""
        return {True: "holds", False: "DOES NOT HOLD", None: "not comparable"}[self.holds]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Render as Markdown, with vertical bars escaped."""
        if not self.rows:
            return f"## {self.title}\n\nNone.\n"
        lines = [self.header, ["---"] * len(self.header), *self.rows]
        table = "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)
        return f"## {self.title}\n\n{table}\n"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of an experiment; claims, tables and figures are made from `numbers` alone."""

    name: str
    title: str
    parameters: Mapping[str, Any]
    numbers: Mapping[str, Any]
    claims: Sequence[Claim]
    tables: Sequence[Table]
    figures: Mapping[str, Figure]
    left_out: Sequence[str] = ()

    def as_dictionary(self, settings: Settings) -> dict[str, Any]:
        """Return everything but tables and figures, ready for JSON."""
        return {
            "experiment": self.name,
            "seed": settings.seed,
            "quick": settings.quick,
            "versions": versions(),
            "parameters": dict(self.parameters),
            "claims": [asdict(claim) | {"verdict": claim.verdict} for claim in self.claims],
            "left_out": list(self.left_out),
            "numbers": dict(self.numbers),
        }

    def markdown(self, settings: Settings) -> str:
        """Render a page: claims first, then figures and tables."""
        used = ", ".join(f"{name} {version}" for name, version in versions().items())
        size = "quick version" if settings.quick else "full size"
        shown = {True: "yes", False: "**no**", None: "not comparable"}
        verdicts = [[claim.claim, claim.measured, shown[claim.holds]] for claim in self.claims]
        parts = [
            f"# {self.title}\n\n`python -m paper {self.name}`, {size}, seed {settings.seed}; {used}.\n",
            Table("Claims", ["claim", "measured", "holds"], verdicts).markdown(),
            *(f"![{figure}]({figure}.svg)\n" for figure in self.figures),
            *(table.markdown() for table in self.tables),
        ]
        if self.left_out:
            parts.append("## Left out\n\n" + "".join(f"* {reason}\n" for reason in self.left_out))
        return "\n".join(parts)


def versions() -> dict[str, str]:
    """Return the versions of chanceless, Python and the libraries in use."""
    libraries = {name: metadata.version(name) for name in _VERSIONS_OF}
    return {"chanceless": __version__, "Python": platform.python_version(), **libraries}


def write(result: Result, settings: Settings) -> None:
    """Write `<name>.json`, `<name>.md`, and each figure as .png and .svg."""
    as_json = json.dumps(result.as_dictionary(settings), indent=1, allow_nan=False)
    for name, figure in result.figures.items():
        for suffix, no_metadata in _NO_METADATA.items():
            buffer = io.BytesIO()
            with mpl.rc_context(_SAVING):
                figure.savefig(buffer, format=suffix, dpi=_DOTS_PER_INCH, metadata=no_metadata)
            write_atomically(settings.output / f"{name}.{suffix}", buffer.getvalue())
    write_atomically(settings.output / f"{result.name}.md", result.markdown(settings).encode())
    write_atomically(settings.output / f"{result.name}.json", f"{as_json}\n".encode())


def panels(*titles: str, x: str, y: str, height: float = 3.0, width: float = 4.4) -> tuple[Figure, list[Axes]]:
    """Make a row of axes with the same labels, without pyplot and its global state."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width * len(titles), height), layout="constrained")
        row = list(figure.subplots(1, len(titles), squeeze=False)[0])
    for axes, title in zip(row, titles, strict=True):
        axes.set_title(title, loc="left", fontsize=10)
        axes.set(xlabel=x, ylabel=y)
    return figure, row


def legend(figure: Figure, axes: Axes, *, columns: int) -> None:
    """Draw the legend below the axes, away from the data."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=8)


def shown(value: float, digits: int) -> str:
    """Write a score with this number of decimals, or more where it would look like 0, 1 or -1 and is not."""
    text = f"{value:z.{digits}f}"
    if abs(float(text)) not in (0.0, 1.0) or float(text) == value:
        return text
    if float(text) == 0.0:
        return f"{value:.2g}"
    return next(longer for more in range(digits, 20) if float(longer := f"{value:.{more}f}") != float(text))
