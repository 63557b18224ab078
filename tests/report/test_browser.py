"""Reports in Chromium: people hover, sort, filter, switch the theme, use keys, a phone, a printer, a screen reader."""

import re
import shutil
from collections import Counter
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from chanceless import compare, compare_all
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
EXAMPLE = [
    line.split(",")[1:]
    for line in (resources.files("chanceless.cli") / "example.csv").read_text(encoding="utf-8").splitlines()[1:]
]
TYPES, CLUSTERS = zip(*EXAMPLE, strict=True)
PAGES = ("example", "several", "matrix", "hostile", "large")
AXE = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
SERIOUS = """async (rules) => (await axe.run(rules)).violations
    .filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" ")}`)"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write the pages."""
    folder = tmp_path_factory.mktemp("reports")
    compare(TYPES, CLUSTERS).report(folder / "example.html")
    rows = [
        f"{true},{pred},{pred[1:]}{place % 2},{int(pred[1:]) // 3},{place % 5}"
        for place, (true, pred) in enumerate(EXAMPLE)
    ]
    (folder / "runs.csv").write_text("\n".join(["cell_type,leiden,fine,coarse,random", *rows]), encoding="utf-8")
    several = ("report", str(folder / "runs.csv"), "cell_type", "leiden", "fine", "coarse", "random")
    run(*several, "--output", str(folder / "several.html"))
    runs = {f"run {seed}, which has a long name": np.random.default_rng(seed).integers(0, 4, 99) for seed in range(30)}
    compare_all(runs, ["adjusted_rand", "variation_of_information"]).report(folder / "matrix.html")
    labels = [label for place, label in enumerate(ODD_LABELS) for _ in range(5 + place)]
    compare(labels, labels[2:] + labels[:2]).report(folder / "hostile.html")
    generator = np.random.default_rng(1)
    true, pred = generator.integers(0, 2000, (2, 10**5))
    compare(true, np.where(generator.random(10**5) < 0.5, true, pred)).report(folder / "large.html")
    return folder


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield running
        running.close()


@pytest.fixture
def visit(browser, folder):
    """Return a function that opens a page; nothing may go wrong on it, and nothing may leave it."""
    complaints, contexts = [], []

    def watch(tab, path):
        tab.on("pageerror", lambda problem: complaints.append(str(problem)))
        tab.on("console", lambda message: complaints.append(message.text) if message.type != "log" else None)
        tab.on("request", lambda request: complaints.append(request.url) if request.url != path.as_uri() else None)
        tab.on("dialog", lambda dialog: complaints.append(dialog.message))

    def open_page(name, width=1280, scheme="light", **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)
        contexts.append(context)
        tab = context.new_page()
        watch(tab, folder / f"{name}.html")
        tab.goto((folder / f"{name}.html").as_uri())
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


@pytest.mark.parametrize(
    ("name", "scheme"),
    [*((name, "light") for name in PAGES), *((name, "dark") for name in PAGES if name != "large")],  # it takes long
)
def test_pages_are_accessible(visit, name, scheme):
    tab = visit(name, scheme=scheme, reduced_motion="reduce")
    assert tab.evaluate("document.documentElement.dataset.ready") == "yes"
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    tab.evaluate(AXE)
    rules = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}  # the rest does not depend on colours
    assert tab.evaluate(SERIOUS, rules[scheme]) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_scrolls_downwards_only(visit, name):
    tab = visit(name, width=375)
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert tab.evaluate("document.scrollingElement.scrollWidth") <= 375


def test_the_pointer_shows_counts(visit):
    tab = visit("example")
    counts, true, pred = Counter(map(tuple, EXAMPLE)), Counter(TYPES), Counter(CLUSTERS)
    cells = tab.locator("svg.heat .cell")
    assert cells.count() == len(counts)
    seen = set()
    for place in range(cells.count()):
        cells.nth(place).hover()
        shown = tab.locator("#tooltip").inner_text()
        a, b, x = re.match(r"(.*) and (\w+): (\d+) sample", shown).groups()
        assert counts[a, b] == int(x)
        assert f"; {percent(int(x), true[a])} of {a}, {percent(int(x), pred[b])} of {b}; contribution " in shown
        seen.add((a, b))
    assert seen == set(counts)
    tab.mouse.move(5, 5)
    assert tab.locator("#tooltip").is_hidden()


def test_the_pointer_shows_ribbons_and_layers(visit):
    tab = visit("several")
    for kind in ("svg.flow", "svg.tree"):
        mark = tab.locator(f"{kind} .ribbon").first
        label = mark.get_attribute("aria-label")
        box = mark.bounding_box()
        tab.evaluate("([x, y]) => scrollTo(x, y)", [0, box["y"] - 200])
        mark.dispatch_event("pointerover", {"bubbles": True})
        assert tab.locator("#tooltip").inner_text() == label
        assert re.search(r": [\d,]+ samples?; .* of .*, .* of ", label)


def test_tables_are_sorted(visit):
    tab = visit("example")
    section = tab.locator("[data-table=true-clusters]")
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


def test_tables_are_filtered(visit):
    tab = visit("example")
    section = tab.locator("[data-table=true-clusters]")
    rows = section.locator("tbody tr:visible")
    section.get_by_label("Find a cluster").fill("CELL")
    assert texts(rows.locator("th > a")) == ["T cell", "NK cell", "dendritic cell", "B cell"]
    assert section.get_by_role("status").inner_text() == "4 of 6 clusters shown."
    section.get_by_label("Verdict").select_option("split")
    assert texts(rows.locator("th > a")) == ["T cell"]
    section.get_by_label("Find a cluster").fill("nothing of this kind")
    assert rows.count() == 0
    assert section.get_by_role("status").inner_text() == "0 of 6 clusters shown."
    assert tab.locator("[data-table=pred-clusters] tbody tr:visible").count() == 7


def test_enter_shows_a_row_that_was_filtered_out(visit):
    tab = visit("example")
    section = tab.locator("[data-table=true-clusters]")
    section.get_by_label("Verdict").select_option("split")
    section.get_by_label("Find a cluster").fill("merged")  # a verdict, and no name
    assert section.locator("tbody tr:visible").count() == 0
    tab.locator("svg.heat .cell[tabindex='0']").focus()
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.cells[0].innerText") == "B cell"
    assert section.get_by_role("status").inner_text() == "6 of 6 clusters shown."
    assert section.get_by_label("Find a cluster").input_value() == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_switches(visit, scheme):
    tab = visit("example", scheme=scheme)

    def background():
        return tab.evaluate("getComputedStyle(document.body).backgroundColor")

    first = background()
    assert (first == "rgb(255, 255, 255)") == (scheme == "light")
    tab.get_by_role("button", name="colours").click()
    second = background()
    assert (second == "rgb(255, 255, 255)") == (scheme == "dark")
    tab.get_by_role("button", name="colours").press("Enter")
    assert background() == first
    tab.emulate_media(media="print")
    assert background() == "rgb(255, 255, 255)"


def test_keys_move_in_the_grid(visit):
    tab = visit("example")
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


def test_keys_move_along_ribbons(visit):
    tab = visit("example")
    tab.locator("svg.flow .ribbon[tabindex='0']").focus()
    seen = [focused(tab)]
    for _ in range(20):
        tab.keyboard.press("ArrowDown")
        seen.append(focused(tab))
    assert len(set(seen)) == tab.locator("svg.flow .ribbon").count() == 16
    assert tab.locator("svg.flow [tabindex='0']").count() == 1


def test_everything_is_reached_by_tab(visit):
    tab = visit("example")
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    tab.keyboard.press("Enter")
    reached = set()
    for _ in range(80):
        tab.keyboard.press("Tab")
        reached.add(
            tab.evaluate(
                "document.activeElement.closest('svg, table, .controls, pre, nav')?.getAttribute('class') ?? ''"
            )
        )
    assert {"heat", "flow", "clusters", "controls"} <= reached


def test_verdicts_lead_to_the_pictures(visit):
    tab = visit("example")
    tab.locator("#true-clusters").get_by_role("link", name="T cell").click()
    expect(tab.locator("svg.heat .cell.on")).to_have_count(5)  # waits: the browser tells of a new address later
    assert focused(tab).startswith("T cell and ")
    assert {label.partition(" and ")[0] for label in labels(tab.locator("svg.flow .ribbon.on"))} == {"T cell"}
    tab.locator("#pred-clusters").get_by_role("link", name="c4").click()
    expect(tab.locator(".ribbon.on, .cell.on")).to_have_count(6)
    assert all(" and c4: " in label for label in labels(tab.locator(".ribbon.on, .cell.on")))


def test_a_ranking_leads_to_the_details(visit):
    tab = visit("several")
    closed = tab.locator("details.one:not([open])")
    before = closed.count()
    name = tab.locator("table.ranking tbody tr").nth(1).locator("th")
    name.get_by_role("link").click()
    expect(closed).to_have_count(before - 1)
    assert tab.locator("details.one[open] > summary", has_text=name.inner_text()).is_visible()


def test_without_scripts(visit):
    tab = visit("example", java_script_enabled=False)
    assert tab.locator("#true-clusters tbody tr:visible").count() == 6
    assert tab.locator(".controls:visible, #theme:visible, #tooltip:visible").count() == 0
    assert tab.locator("svg.heat .cell title").first.text_content().startswith("B cell and c3: 40 samples")
    assert tab.locator("svg.flow .ribbon:visible").count() == 16


@pytest.mark.parametrize("name", ["example", "several", "matrix", "large"])
def test_print(visit, name):
    tab = visit(name, width=718)  # of A4 between margins, in pixels
    assert tab.pdf(format="A4").startswith(b"%PDF")
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("details.one:not([open])").count() == 0
    assert tab.locator("nav:visible, .controls:visible, #theme:visible, .keys:visible").count() == 0
    cut = "all => all.filter((one) => one.scrollHeight > one.clientHeight + 1).length"
    assert tab.locator(".scroll").evaluate_all(cut) == 0
    too_wide = "(one) => one.getBoundingClientRect().right > innerWidth + 1"
    wide = f"all => all.filter({too_wide}).map((one) => one.outerHTML.slice(0, 99))"
    assert tab.locator("main svg, main table").evaluate_all(wide) == []
    tab.evaluate("dispatchEvent(new Event('afterprint'))")


def test_hostile_labels_are_text(visit):
    tab = visit("hostile")
    names = texts(tab.locator("#true-clusters tbody th > bdi, #true-clusters tbody th > a"))
    assert len(set(names)) == len(ODD_LABELS)
    assert any("<script>alert(1)</script>" in name for name in names)
    assert tab.locator("svg script, svg b, table b").count() == 0
    assert max(map(len, labels(tab.locator("svg.heat .cell")))) < 300
    tab.locator("#true-clusters .full summary").first.click()
    assert len(tab.locator("#true-clusters .full bdi").first.inner_text()) >= 10_000
    assert tab.evaluate("document.scrollingElement.scrollWidth") <= 1280


def test_large_pages_stay_light(visit):
    tab = visit("large")
    assert tab.evaluate("document.querySelectorAll('*').length") < 20_000
    assert tab.locator("#true-clusters tbody tr").count() == 200
    tab.locator("[data-table=true-clusters]").get_by_label("Find a cluster").fill("77")
    assert 0 < tab.locator("#true-clusters tbody tr:visible").count() < 200


def test_the_data_are_json(visit):
    tab = visit("hostile")
    data = tab.evaluate("JSON.parse(document.getElementById('chanceless-data').textContent)")
    assert {one["label"] for one in data["comparison"]["clusters"]["true_clusters"]} == set(ODD_LABELS)
