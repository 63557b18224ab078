"""Draw the pictures of pages by running their examples, also the lines that tests skip, and those of README.

Without arguments: of all pages that draw some, but for the one on scanpy, which needs scanpy; otherwise of the pages
named. With --check nothing is written: it fails if a picture is not the one in the checkout. What other versions of a
library would find is stored beside the pictures (STORED); delete the file to compute it anew.
"""

import argparse
import contextlib
import doctest
import io
import json
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import matplotlib as mpl
from matplotlib import style
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager

from chanceless import compare
from chanceless.files import read_table
from chanceless.plots import plot_flow
from chanceless.plots.style import SAVING

DOCS = Path(__file__).resolve().parent
FRONT = DOCS / "_static"
"""pictures of README and of the first page of the site"""
THEMES = {"light": "default", "dark": "dark_background"}
BADGE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{left}: {right}">
<rect width="{width}" height="20" rx="3" fill="#1f6f8b"/><rect width="{middle}" height="20" rx="3" fill="#4d4d4d"/>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">
<text x="7" y="14" textLength="{left_length}">{left}</text>
<text x="{start}" y="14" textLength="{right_length}">{right}</text>
</g></svg>
"""
VERSION = re.compile(rb"Matplotlib (?:v|version)([\d.]+\d)")
SAVED = re.compile(r'savefig\("([^"]+)"')
STORED = {DOCS / "how-to" / "communities.md": ("runs", DOCS / "how-to" / "communities" / "runs.json")}
"""Of a page, a name whose value an example computes, and the file with the value that pictures show."""


def main() -> None:
    """Draw the pictures, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    mpl.use("agg")
    # reproducible files: the fonts of matplotlib alone
    own = mpl.get_data_path()
    fontManager.ttflist[:] = [font for font in fontManager.ttflist if Path(font.fname).is_relative_to(own)]
    use = differs if chosen.check else replace
    changed = [target for page in chosen.pages or drawing_pages() for target in draw(page.resolve(), use)]
    changed += [] if chosen.pages else draw_front(use)
    sys.exit(f"Run python docs/make_pictures.py: {', '.join(changed)} changed." if changed else 0)


def drawing_pages() -> list[Path]:
    """Return the pages whose examples save pictures."""
    pages = sorted(DOCS.rglob("*.md"))
    return [page for page in pages if page.name != "scanpy.md" and SAVED.search(page.read_text())]


def draw(page: Path, use: Callable[[Path, Path], bool]) -> list[str]:
    """Draw the pictures of a page in a temporary folder; return those for which use(drawn, in the checkout) holds."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        saved = SAVED.findall(page.read_text(encoding="utf-8"))
        for picture in saved:
            Path(picture).parent.mkdir(exist_ok=True)
        with contextlib.redirect_stdout(io.StringIO()):
            run(page)
        return [picture for picture in saved if use(Path(picture), page.parent / picture)]


def draw_front(use: Callable[[Path, Path], bool]) -> list[str]:
    """Draw the flow of the demo, wide, light and dark, and badges of what pyproject.toml says."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    table = read_table(str(resources.files("chanceless.cli") / "example.csv"), "cell_type", "cluster")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for theme, its_style in THEMES.items():
            with style.context([its_style, SAVING], after_reset=True):
                figure = Figure(figsize=(9, 2.1), layout="constrained")
                plot_flow(compare(table), ax=figure.subplots()).set_title("")
                figure.savefig(folder / f"flow-{theme}.svg", transparent=True, metadata={"Date": None})
        write_badge(folder / "badge-licence.svg", "licence", project["license"])
        write_badge(folder / "badge-python.svg", "python", project["requires-python"].removeprefix(">=") + " or newer")
        return [path.name for path in sorted(folder.iterdir()) if use(path, FRONT / path.name)]


def write_badge(path: Path, left: str, right: str) -> None:
    """Write a small picture of two words, in any font at the same width."""
    left_length, right_length = (round(6.3 * len(word)) for word in (left, right))
    middle = left_length + 14
    sizes = {"middle": middle, "start": middle + 7, "width": middle + right_length + 14}
    text = BADGE.format(left=left, right=right, left_length=left_length, right_length=right_length, **sizes)
    path.write_text(text, encoding="utf-8")


def replace(drawn: Path, target: Path) -> bool:
    """Put a picture into the checkout."""
    target.parent.mkdir(exist_ok=True)
    shutil.copy(drawn, target)
    return False


def differs(drawn: Path, target: Path) -> bool:
    """Return whether a picture is not the one in the checkout, drawn by the same version of matplotlib."""
    if not target.exists():
        return True
    new, old = drawn.read_bytes(), target.read_bytes()
    of_other_version = VERSION.findall(new) != VERSION.findall(old)  # texts have other widths
    return new != old and not of_other_version


def run(page: Path) -> None:
    """Run all examples here; the pictures that they save are reproducible, without date and random identifiers."""
    examples = doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, page.name, str(page), 0)
    mpl.rcParams.update({**mpl.rcParamsDefault, **SAVING})
    name, stored = STORED.get(page, ("", page))
    for example in examples.examples:
        source = re.sub(r"savefig\((.*)\)", r'savefig(\1, metadata={"Date": None})', example.source)
        exec(source, examples.globs)
        if name in examples.globs:
            if not stored.exists():
                stored.write_text(json.dumps(examples.globs[name], separators=(",", ":")) + "\n", encoding="utf-8")
            examples.globs[name] = json.loads(stored.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
