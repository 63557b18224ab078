"""Draw the pictures of docs/plots.md: run its examples, including the `savefig` lines that the tests skip."""

import doctest
import os
import re
from pathlib import Path

import matplotlib as mpl
from matplotlib.font_manager import fontManager

from chanceless.plots.style import SAVING

PAGE = Path(__file__).resolve().parent.parent / "plots.md"


def main() -> None:
    """Write each picture beside this file."""
    mpl.use("agg")
    os.chdir(PAGE.parent)
    page = doctest.DocTestParser().get_doctest(PAGE.read_text(), {}, PAGE.name, str(PAGE), 0)
    # reproducible files: the fonts of matplotlib alone, no date, no random identifiers
    own = mpl.get_data_path()
    fontManager.ttflist[:] = [font for font in fontManager.ttflist if Path(font.fname).is_relative_to(own)]
    mpl.rcParams.update({**mpl.rcParamsDefault, **SAVING})
    for example in page.examples:
        source = re.sub(r"savefig\((.*)\)", r'savefig(\1, metadata={"Date": None})', example.source)
        exec(source, page.globs)


if __name__ == "__main__":
    main()
