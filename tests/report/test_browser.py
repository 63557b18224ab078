"""Reports in Chromium: people hover, sort, filter, switch the theme, use keys, a phone, a printer, a screen reader."""

import re
import shutil
from collections import Counter
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from chanceless import compare, compare_all, compare_to
from chanceless.show.text import percent
from tests.cli.terminal import run
from tests.labels.odd_labels import ODD_LABELS

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python")
expect = playwright.expect
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("there is no Chromium", allow_module_level=True)

pytestmark = pytest.mark.slow
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
QUIET += ("--disable-sync", "--no-first-run")
LINES = (resources.files("chanceless.cli") / "example.csv").read_text(encoding="utf-8").splitlines()
EXAMPLE = [tuple(line.split(",")[1:]) for line in LINES[1:]]
TYPES, CLUSTERS = zip(*EXAMPLE, strict=True)
PAGES = ("example", "several", "matrix", "hostile")  # labels of which are scripts that must not run
AXE = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
SERIOUS = """async (rules) => (await axe.run(rules)).violations
    .filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" ")}`)"""


def write_page(name, path):
    if name == "example":
        compare(TYPES, CLUSTERS).report(path)
    elif name == "several":
        finer = (f"{pred[1:]}{place % 2},{int(pred[1:]) // 3},{place % 5}" for place, pred in enumerate(CLUSTERS))
        rows = [",".join(row) for row in zip(TYPES, CLUSTERS, finer, strict=True)]
        data = path.with_name("runs.csv")
        data.write_text("\n".join(["cell_type,leiden,fine,coarse,random", *rows]), encoding="utf-8")
        run("report", str(data), "cell_type", "leiden", "fine", "coarse", "random", "--output", str(path))
    elif name == "forty":
        true, other = np.random.default_rng(0).integers(0, 40, (2, 5000))
        found = np.where(other < 8, other, true)
        compare([f"cluster {label:02} with a name of words" for label in true], found).report(path)
    elif name == "eight":
        true, *draws = np.random.default_rng(0).integers(0, 20, (9, 5000))
        runs = {f"method_{k}_of_{k + 5}": np.where(draw < 2 * k, draw, true) for k, draw in enumerate(draws)}
        compare_to(true, runs).report(path)
    elif name == "matrix":
        draws = np.random.default_rng(0).integers(0, 4, (30, 99))
        runs = {f"run {seed}, which has a long name": labels for seed, labels in enumerate(draws)}
        compare_all(runs, ["adjusted_rand", "variation_of_information"]).report(path)
    else:
        labels = [label for place, label in enumerate(ODD_LABELS) for _ in range(5 + place)]
        compare(labels, labels[2:] + labels[:2]).report(path)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a function that writes a page once."""
    folder = tmp_path_factory.mktemp("reports")

    def write_once(name):
        path = folder / f"{name}.html"
        if not path.exists():
            write_page(name, path)
        return path

    return write_once


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield running
        running.close()


@pytest.fixture
def visit(browser, written):
    """Return a function that opens a page; nothing may go wrong on it, and nothing may leave it."""
    complaints, contexts = [], []

    def watch(tab, path):
        tab.on("pageerror", lambda problem: complaints.append(str(problem)))
        tab.on("console", lambda message: complaints.append(message.text) if message.type != "log" else None)
        tab.on("request", lambda request: complaints.append(request.url) if request.url != path.as_uri() else None)
        tab.on("dialog", lambda dialog: complaints.append(dialog.message))

    def open_page(name, width=1280, scheme="light", height=900, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **options)
        contexts.append(context)
        tab = context.new_page()
        watch(tab, path := written(name))
        tab.goto(path.as_uri())
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def texts(locator):
    return [text.strip() for text in locator.all_inner_texts()]


def labels(locator):
    return locator.evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")


def focused(tab):
    return tab.evaluate("document.activeElement.getAttribute('aria-label')")


def problems(tab, **rules):
    """List what axe finds on a page whose parts are all open."""
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    tab.evaluate(AXE)
    return tab.evaluate(SERIOUS, rules)


def test_a_report_is_used(visit):
    """In the default run: a page is loaded, and used with pointer, keys and a screen reader."""
    tab = visit("example", reduced_motion="reduce")
    assert tab.evaluate("document.documentElement.dataset.ready") == "yes"
    move_in_the_grid(tab)
    tab.locator("svg.heat .cell").first.hover()
    assert re.match(r".* and \w+: \d+ sample", tab.locator("#tooltip").inner_text())
    tab.locator("[data-table=true-clusters]").get_by_role("columnheader", name="size").get_by_role("button").click()
    assert texts(tab.locator("[data-table=true-clusters] tbody tr td:nth-child(4)"))[0] == "59"
    assert problems(tab) == []


def move_in_the_grid(tab):
    tab.locator("svg.heat .cell[tabindex='0']").focus()
    assert tab.locator("svg.heat [tabindex='0']").count() == 1
    start = focused(tab)
    assert start.startswith("B cell and c3: 40 samples")
    assert tab.locator("#tooltip").inner_text() == start
    tab.keyboard.press("ArrowRight")
    assert focused(tab).startswith("B cell and c7: 1 sample;")
    tab.keyboard.press("ArrowLeft")
    tab.keyboard.press("ArrowDown")
    assert focused(tab).startswith("NK cell and c3: 1 sample;")
    tab.keyboard.press("End")
    assert focused(tab).startswith("NK cell and c2: ")
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowUp")
    assert focused(tab) == start
    tab.keyboard.press("Escape")
    assert tab.locator("#tooltip").is_hidden()
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.cells[0].innerText") == "B cell"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)], ids=["screen", "phone"])
def test_the_first_screen_answers(visit, width, height):
    """The sentence, AMI and the whole flow are seen without scrolling, and the contents fold on a phone."""
    tab = visit("example", width, height=height)
    assert tab.locator(".answer").inner_text().startswith("3 of 6 true clusters were found as one cluster; T cell ")
    assert tab.locator(".first .value").inner_text() == f"{compare(TYPES, CLUSTERS)['adjusted_mutual_info']:.3f}"
    for part in (".answer", ".first .value", ".flow"):
        box = tab.locator(part).bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width, part
        assert 0 <= box["y"] <= box["y"] + box["height"] <= height, part
    assert tab.locator("nav li:visible").count() == (6 if width > 1000 else 0)


@pytest.mark.nightly
class TestAll:
    @pytest.mark.parametrize("name", PAGES)
    def test_pages_on_screens_and_paper(self, visit, name):
        tab = visit(name, reduced_motion="reduce")
        assert problems(tab) == []
        for width in (375, 500):  # a phone scrolls downwards only
            tab.set_viewport_size({"width": width, "height": 900})
            assert tab.evaluate("document.scrollingElement.scrollWidth") <= width
        assert problems(visit(name, scheme="dark"), runOnly=["color-contrast"]) == []

    PAGES_OF_A4 = (("example", 4), ("forty", 4), ("several", 10), ("eight", 10), ("matrix", 4))

    @pytest.mark.parametrize(("name", "most"), PAGES_OF_A4)
    def test_print(self, visit, name, most):
        tab = visit(name, width=718)  # of A4 between margins, in pixels
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b", tab.pdf(format="A4"))) <= most
        tab.emulate_media(media="print")
        assert tab.locator("nav:visible, .controls:visible, #theme:visible, .keys:visible, .save:visible").count() == 0
        cut = "all => all.filter((one) => one.scrollHeight > one.clientHeight + 1).length"
        assert tab.locator(".scroll").evaluate_all(cut) == 0
        too_wide = "(one) => one.getBoundingClientRect().right > innerWidth + 1"
        wide = f"all => all.filter({too_wide}).map((one) => one.outerHTML.slice(0, 99))"
        assert tab.locator("main svg, main table").evaluate_all(wide) == []

    @pytest.mark.parametrize("kind", ["flow", "heat"])
    def test_pictures_are_saved(self, visit, kind, tmp_path):
        """The file has the marks and colours of the page, and needs no style sheet."""
        tab = visit("example")
        picture = tab.locator(f"svg.{kind}")
        with tab.expect_download() as download:
            tab.locator("figure", has=picture).get_by_role("button", name="Save picture").click()
        download.value.save_as(tmp_path / download.value.suggested_filename)
        saved = list(ElementTree.parse(tmp_path / f"{kind}.svg").iter())
        texts = [re.sub(r" \(\d+\)$", "", "".join(one.itertext())) for one in saved if one.tag.endswith("}text")]
        assert {*TYPES, *CLUSTERS} <= {*texts}
        fills = picture.locator("rect, path").evaluate_all("all => all.map((one) => getComputedStyle(one).fill)")
        drawn = [one.get("fill") for one in saved if one.tag.endswith(("}rect", "}path"))]
        assert drawn == ["rgb(255, 255, 255)", *fills]  # on white

    def test_the_pointer_shows_counts(self, visit):
        tab = visit("example")
        counts, true, pred = Counter(EXAMPLE), Counter(TYPES), Counter(CLUSTERS)
        cells, seen = tab.locator("svg.heat .cell"), set()
        for place in range(cells.count()):
            cells.nth(place).hover()
            shown = tab.locator("#tooltip").inner_text()
            a, b, x = re.match(r"(.*) and (\w+): (\d+) sample", shown).groups()
            assert counts[a, b] == int(x)
            assert shown.endswith(f"; {percent(int(x), true[a])} of {a}, {percent(int(x), pred[b])} of {b}")
            seen.add((a, b))
        assert seen == set(counts)
        tab.mouse.move(5, 5)
        assert tab.locator("#tooltip").is_hidden()

    def test_tables_are_sorted(self, visit):
        section = visit("example").locator("[data-table=true-clusters]")
        sizes = section.locator("tbody tr td:nth-child(4)")
        assert section.locator("th[aria-sort]").count() == 0
        header = section.get_by_role("columnheader", name="size")
        header.get_by_role("button").click()
        assert header.get_attribute("aria-sort") == "descending"
        assert texts(sizes) == ["59", "41", "36", "27", "21", "16"]
        header.get_by_role("button").press("Enter")
        assert header.get_attribute("aria-sort") == "ascending"
        assert texts(sizes) == ["16", "21", "27", "36", "41", "59"]
        assert section.get_by_role("status").inner_text() == "Sorted by size, ascending."
        section.get_by_role("button", name="cluster", exact=True).press("Space")
        assert texts(section.locator("tbody th > a")) == sorted({*TYPES}, key=str.lower)
        assert section.locator("th[aria-sort]").count() == 1

    def test_tables_are_filtered(self, visit):
        tab = visit("example")
        section = tab.locator("[data-table=true-clusters]")
        rows, status = section.locator("tbody tr:visible"), section.get_by_role("status")
        section.get_by_label("Find a cluster").fill("CELL")
        assert texts(rows.locator("th > a")) == ["T cell", "NK cell", "dendritic cell", "B cell"]
        assert status.inner_text() == "4 of 6 clusters shown."
        section.get_by_label("Verdict").select_option("split")
        assert texts(rows.locator("th > a")) == ["T cell"]
        section.get_by_label("Find a cluster").fill("merged")  # a verdict, and no name
        assert rows.count() == 0
        assert tab.locator("[data-table=pred-clusters] tbody tr:visible").count() == 0
        tab.locator("[data-table=pred-clusters] > summary").click()
        assert tab.locator("[data-table=pred-clusters] tbody tr:visible").count() == 7
        # Enter shows a row that was filtered out
        tab.locator("svg.heat .cell[tabindex='0']").focus()
        tab.keyboard.press("Enter")
        assert tab.evaluate("document.activeElement.cells[0].innerText") == "B cell"
        assert status.inner_text() == "6 of 6 clusters shown."
        assert section.get_by_label("Find a cluster").input_value() == ""

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_the_theme_switches(self, visit, scheme):
        tab, other = visit("example", scheme=scheme), {"light": "dark", "dark": "light"}[scheme]

        def shown():
            colour = tab.evaluate("getComputedStyle(document.body).backgroundColor")
            return "light" if colour == "rgb(255, 255, 255)" else "dark"

        assert shown() == scheme
        tab.get_by_role("button", name="colours").click()
        assert shown() == other
        tab.get_by_role("button", name="colours").press("Enter")
        assert shown() == scheme
        tab.emulate_media(media="print")
        assert shown() == "light"

    def test_everything_is_reached_by_tab(self, visit):
        tab = visit("example")
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.className") == "skip"
        tab.keyboard.press("Enter")
        around, reached = "document.activeElement.closest('svg, table, .controls, pre, nav')", set()
        for _ in range(80):
            tab.keyboard.press("Tab")
            reached.add(tab.evaluate(f"{around}?.getAttribute('class') ?? ''"))
        assert {"heat", "flow", "clusters", "controls"} <= reached

    def test_links_lead_to_the_pictures_and_details(self, visit):
        tab = visit("example", reduced_motion="reduce")  # a click on what scrolls may miss
        tab.locator("#true-clusters").get_by_role("link", name="T cell").click()
        expect(tab.locator("svg.heat .cell.on")).to_have_count(5)  # waits: the browser tells of a new address later
        assert focused(tab).startswith("T cell and ")
        assert {label.partition(" and ")[0] for label in labels(tab.locator("svg.flow .ribbon.on"))} == {"T cell"}
        tab.locator("[data-table=pred-clusters] > summary").click()
        tab.locator("#pred-clusters").get_by_role("link", name="c4").click()
        expect(tab.locator(".ribbon.on, .cell.on")).to_have_count(6)
        assert all(" and c4: " in label for label in labels(tab.locator(".ribbon.on, .cell.on")))
        tab.get_by_role("navigation").get_by_role("link", name="All scores").click()
        expect(tab.locator("#scores dt").first).to_be_visible()
        tab = visit("several")
        closed = tab.locator("details.one:not([open])")
        before, name = closed.count(), tab.locator("table.ranking tbody tr").nth(1).locator("th")
        name.get_by_role("link").click()
        expect(closed).to_have_count(before - 1)
        assert tab.locator("details.one[open] > summary", has_text=name.inner_text()).is_visible()

    def test_without_scripts(self, visit):
        tab = visit("example", java_script_enabled=False)
        assert tab.locator("#true-clusters tbody tr:visible").count() == 6
        assert tab.locator(".controls:visible, #theme:visible, #tooltip:visible").count() == 0
        assert tab.locator("svg.heat .cell title").first.text_content().startswith("B cell and c3: 40 samples")
        assert tab.locator("svg.flow .ribbon:visible").count() == 16
