"""Draw the pictures of a page, docs/plots.md by default: run its examples, including the lines that the tests skip."""

import contextlib
import doctest
import re
import shutil
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
from matplotlib.font_manager import fontManager

from chanceless.plots.style import SAVING

PLOTS = Path(__file__).resolve().parent.parent / "plots.md"


def main() -> None:
    """Draw the pictures of the pages that are named."""
    mpl.use("agg")
    # reproducible files: the fonts of matplotlib alone
    own = mpl.get_data_path()
    fontManager.ttflist[:] = [font for font in fontManager.ttflist if Path(font.fname).is_relative_to(own)]
    for page in [Path(name).resolve() for name in sys.argv[1:]] or [PLOTS]:
        with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
            folder = Path(name)
            (folder / "plots").mkdir()
            run(page)
            for picture in [*folder.rglob("*.svg"), *folder.rglob("*.png")]:
                shutil.copy(picture, page.parent / picture.relative_to(folder))


def run(page: Path) -> None:
    """Run all examples here; the pictures that they save are reproducible, without date and random identifiers."""
    examples = doctest.DocTestParser().get_doctest(page.read_text(), {}, page.name, str(page), 0)
    mpl.rcParams.update({**mpl.rcParamsDefault, **SAVING})
    for example in examples.examples:
        source = re.sub(r"savefig\((.*)\)", r'savefig(\1, metadata={"Date": None})', example.source)
        exec(source, examples.globs)


if __name__ == "__main__":
    main()
