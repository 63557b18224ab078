"""What an experiment is asked and what it finds: numbers, claims beside the paper's, tables and figures, on disk."""

import io
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from chanceless import __version__
from chanceless.paper.drawing import SAVING
from chanceless.paper.kept import write_whole

_VERSIONS_OF = ("numpy", "scipy", "scikit-learn", "matplotlib")
_DOTS_PER_INCH = 150
# Without date and version, so that the same numbers give the same file.
_NO_METADATA = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


@dataclass(frozen=True, slots=True)
class Settings:
    """What an experiment is asked."""

    output: Path
    seed: int = 1
    quick: bool = False
    processes: int = 1
    data: Path | None = None
    memory_gib: float = 8.0
    time_limit: float = 900.0


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the paper, what was measured, and whether it holds."""

    claim: str
    measured: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A table for people; numbers come as text."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Lay it out; what would end a cell is escaped."""
        if not self.rows:
            return f"## {self.title}\n\nNone.\n"
        lines = [self.header, ["---"] * len(self.header), *self.rows]
        table = "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)
        return f"## {self.title}\n\n{table}\n"


@dataclass(frozen=True, slots=True)
class Record:
    """What an experiment found. `numbers` holds every raw number, and is all that tables and figures are made from."""

    name: str
    title: str
    parameters: Mapping[str, Any]
    numbers: Mapping[str, Any]
    claims: Sequence[Claim]
    tables: Sequence[Table]
    figures: Mapping[str, Figure]
    left_out: Sequence[str] = ()

    def as_dictionary(self, settings: Settings) -> dict[str, Any]:
        """Say everything, for programs."""
        return {
            "experiment": self.name,
            "seed": settings.seed,
            "quick": settings.quick,
            "versions": versions(),
            "parameters": dict(self.parameters),
            "claims": [asdict(claim) for claim in self.claims],
            "left_out": list(self.left_out),
            "numbers": dict(self.numbers),
        }

    def markdown(self, settings: Settings) -> str:
        """Say what matters, for people: claims first, then figures and tables."""
        used = ", ".join(f"{name} {version}" for name, version in versions().items())
        size = "quick version" if settings.quick else "full size"
        verdicts = [[claim.claim, claim.measured, "yes" if claim.holds else "**no**"] for claim in self.claims]
        parts = [
            f"# {self.title}\n\n`chanceless paper {self.name}`, {size}, seed {settings.seed}; {used}.\n",
            Table("Claims", ["claim", "measured", "holds"], verdicts).markdown(),
            *(f"![{figure}]({figure}.svg)\n" for figure in self.figures),
            *(table.markdown() for table in self.tables),
        ]
        if self.left_out:
            parts.append("## Left out\n\n" + "".join(f"* {reason}\n" for reason in self.left_out))
        return "\n".join(parts)


def versions() -> dict[str, str]:
    """Say which versions of what counted, scored and drew."""
    libraries = {name: metadata.version(name) for name in _VERSIONS_OF}
    return {"chanceless": __version__, "Python": platform.python_version(), **libraries}


def write(record: Record, settings: Settings) -> list[Path]:
    """Write `<name>.json`, `<name>.md` and each figure as .png and .svg; return where they are."""
    contents = {f"{name}.{suffix}": content for name, suffix, content in _pictures(record.figures)}
    contents[f"{record.name}.md"] = record.markdown(settings).encode()
    as_json = json.dumps(record.as_dictionary(settings), indent=1, allow_nan=False)
    contents[f"{record.name}.json"] = f"{as_json}\n".encode()
    for file, content in contents.items():
        write_whole(settings.output / file, content)
    return [settings.output / file for file in contents]


def _pictures(figures: Mapping[str, Figure]) -> Iterable[tuple[str, str, bytes]]:
    for name, figure in figures.items():
        for suffix, nothing in _NO_METADATA.items():
            buffer = io.BytesIO()
            with mpl.rc_context(SAVING):
                figure.savefig(buffer, format=suffix, dpi=_DOTS_PER_INCH, metadata=nothing)
            yield name, suffix, buffer.getvalue()
