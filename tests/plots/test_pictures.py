"""Pictures of real clusterings stay as they were looked at, and all that is written in them can be read.

`pytest -n0 tests/plots/test_pictures.py --update-pictures` draws tests/plots/pictures anew; look at them before you
keep them.
"""

from functools import cache
from itertools import chain, combinations
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

from chanceless import layout
from chanceless.plots import clusters_plot, flow_plots, heat_plots, many_plots, style
from chanceless.plots.style import ORANGE, SHARES, VERDICT_COLOURS, FittingText
from tests.plots.drawn import drawn_alike, names
from tests.plots.picture_cases import ALONE, GRIDS, NAMES, NOISE, draw

pytestmark = pytest.mark.slow
FOLDER = Path(__file__).parent / "pictures"
# Pictures are kept in 256 colours, which makes 1.1 at most; the least of the changes below makes 3.2. The same
# matplotlib draws the same dots on every machine.
NOTICED = TOLERANCE = 2.0
if tuple(map(int, mpl.__version__.split(".")[:2])) < (3, 11):
    # Another FreeType, so text has another width and all beside it another place: 31 at most, by 3.9 and by 3.10.
    TOLERANCE = 40.0


class Drawn(NamedTuple):
    """A picture, its texts with the boxes around them, and the names at each of its axes."""

    dots: np.ndarray
    texts: list[tuple[str, Bbox]]
    names: list[list[str]]


def read(figure):
    """Draw a figure; return its texts with the boxes around them and their sizes."""
    texts, whole = [], Text.draw

    def draw_text(self, renderer, *arguments, **options):
        if self.get_visible() and self.get_text().strip():
            texts.append((self.get_text(), self.get_window_extent(renderer), self.get_fontsize()))
        return whole(self, renderer, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", draw_text)
        figure.canvas.draw()
    return texts


def render(name):
    with drawn_alike():
        figure = draw(name)
        texts = [text[:2] for text in read(figure)]
        dots = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(float)
        listed = [names(axis) for axis in chain(*map(axes_with_names, GRIDS.get(name, [name]), figure.axes))]
        return Drawn(dots, texts, listed)


def axes_with_names(case, ax):
    """The axes with names of clusters or clusterings: those inside and to the right of bars, too, but no verdicts."""
    inside = [right.yaxis for right in ax.child_axes if case.startswith(("flow", "tree"))]
    return [*inside, ax.xaxis, *([] if case.startswith("tree") else [ax.yaxis])]


drawn = cache(render)


def difference(one, other):
    """Root mean square, of 255, of what squares of 5 x 5 dots differ by, so that half a dot does not count for much."""
    if one.shape != other.shape:
        return 255.0
    height, width = (length // 5 for length in one.shape[:2])
    squares = (one - other)[: 5 * height, : 5 * width].reshape(height, 5, width, 5, 3).mean(axis=(1, 3))
    return np.sqrt((squares**2).mean())


@pytest.mark.parametrize("name", NAMES)
def test_pictures_are_those_that_were_looked_at(request, tmp_path, name):
    now = Image.fromarray(drawn(name).dots.astype(np.uint8))
    if request.config.getoption("update_pictures"):
        now.quantize(256, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)
    before = Image.open(FOLDER / f"{name}.png").convert("RGB")
    changed = difference(drawn(name).dots, np.asarray(before, dtype=float))
    if changed >= TOLERANCE:
        now.save(tmp_path / f"{name}.png")
        pytest.fail(f"{name} differs by {changed:.1f}: compare {tmp_path / name}.png with {FOLDER / name}.png")


def test_no_picture_is_left_over():
    assert {path.stem for path in FOLDER.iterdir()} == set(NAMES)


def check_apart(texts, width, height):
    # half a dot is lost by rounding
    figure = Bbox.from_extents(-0.5, -0.5, width + 0.5, height + 0.5)
    assert [text for text, box in texts if figure.count_contains(box.get_points()) < 2] == []
    # boxes are higher than the letters in them
    over = [
        (one, other)
        for (one, box), (other, beside) in combinations(texts, 2)
        if (shared := Bbox.intersection(box, beside)) is not None and min(shared.width, shared.height) > 1
    ]
    assert over == []


@pytest.mark.parametrize("name", NAMES)
def test_texts_can_be_read(name):
    dots, texts, listed = drawn(name)
    check_apart(texts, *dots.shape[1::-1])
    assert any(listed)
    named = [[text for text in some if not text.endswith(" %")] for some in listed]  # shares in a tree may be equal
    assert all(len(set(some)) == len(some) for some in named)


# two names of 40 characters leave no room on a slide
@pytest.mark.parametrize("name", [name for name in ALONE | NOISE if not name.endswith("long-40")])
def test_texts_on_a_slide_have_its_font_size(name):
    with drawn_alike(), mpl.rc_context({"font.size": 24}):
        for ax in (plt.subplots(figsize=(13.3, 7.5), layout="constrained")[1], None):
            figure = (ALONE | NOISE)[name](ax).figure
            in_cells = {text.get_text() for text in figure.findobj(FittingText)}
            texts = read(figure)
            check_apart([text[:2] for text in texts], *figure.bbox.size)
            sizes = {round(size, 1) for text, _, size in texts if text not in in_cells}
            # rows of bars have all their names, which may shrink to 60 %
            assert min(sizes) >= (0.6 * 19.2 if name.startswith("clusters") else 19.2)
            assert sizes - {min(sizes)} <= {19.2, 21.6} >= {max(sizes)}


MUTATIONS = [
    ("contingency-15", heat_plots, "_MOST_SEPARATED", 0),
    ("clusters-15", style, "VERDICT_COLOURS", VERDICT_COLOURS | {"kept": ORANGE}),
    ("clusters-long", clusters_plot, "MOST_NAMED", 0),
    ("flow-15", layout, "untangle", lambda shown: shown),
    ("flow-15", style, "CLUSTER_COLOURS", style.CLUSTER_COLOURS[::-1]),
    ("flow-300", layout, "_STEPS", 0),
    ("flow-long-40", flow_plots, "_with_sizes", lambda listed, _sizes: listed),
    ("matrix-sweep", style, "SHARES", SHARES.reversed()),
    ("matrix-close", heat_plots, "_start", lambda _smallest: 0.0),
    ("ranking-numbers", style, "ORANGE", "#0072B2"),
    ("ranking-sweep", many_plots, "number_in_names", lambda _names: None),
    ("stability", style, "SKY", "#000000"),
    ("tree-8", flow_plots, "main_cells", lambda counts: counts > 0),
    ("tree-8", style, "small", lambda: 6.0),
    ("grid-dark", style, "ink", lambda _ax, colour: colour),
]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "module", "attribute", "other"), MUTATIONS, ids=[f"{case[0]}-{case[2].strip('_')}" for case in MUTATIONS]
)
def test_changed_pictures_are_noticed(monkeypatch, name, module, attribute, other):
    before = drawn(name).dots
    monkeypatch.setattr(module, attribute, other)
    assert difference(render(name).dots, before) > NOTICED
