"""Take pictures of the built site, wide and narrow, light and dark: python .ci/screenshots.py FOLDER [PAGE ...].

Needs Chromium (Debian: chromium) and `pip install playwright`. A page is named without ".html"; "all" is every page.
Also lists what would trouble a reader: pages wider than the window, errors of scripts, and requests to the network.
"""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

SITE = Path(__file__).resolve().parent.parent / "build" / "site"
WIDTHS = {"wide": 1280, "narrow": 375}
WORDS = ("PAMI", "adjusted_rand_score", "missing", "Sankey", "B-cubed")
OFFLINE = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"]


def take(browser: Browser, folder: Path, page: str, size: str, colours: str) -> None:
    """Take one picture of the whole page."""
    context = browser.new_context(viewport={"width": WIDTHS[size], "height": 900}, color_scheme=colours)
    tab = context.new_page()
    name = f"{page.replace('/', '-')}-{size}-{colours}"
    watch(tab, name)
    tab.goto((SITE / f"{page}.html").as_uri())
    tab.wait_for_load_state("networkidle")
    width = tab.evaluate("document.scrollingElement.scrollWidth")
    if width > WIDTHS[size]:
        print(f"{name}: {width} pixels wide")
    if os.environ.get("PICTURES", "1") == "1":
        tab.screenshot(path=folder / f"{name}.png", full_page=True)
    context.close()


def watch(tab: Page, name: str) -> None:
    """Print errors and requests that leave this machine."""
    tab.on("pageerror", lambda error: print(f"{name}: {error}"))
    tab.on("request", lambda request: print(f"{name}: {request.url}") if request.url.startswith("http") else None)


def search(browser: Browser, word: str) -> None:
    """Print how many pages the search finds, typed as a reader does."""
    tab = browser.new_page(viewport={"width": WIDTHS["wide"], "height": 900})
    watch(tab, f"search for {word}")
    tab.goto((SITE / "index.html").as_uri())
    tab.locator(".search-button__button:visible").first.click()
    tab.keyboard.type(word)
    tab.keyboard.press("Enter")
    tab.get_by_text("Search finished").wait_for()  # results come one by one
    print(f"search for {word}: {tab.locator('#search-results ul.search li').count()} pages")
    tab.close()


def main(folder: Path, pages: list[str]) -> None:
    """Take all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    if pages == ["all"]:
        pages = sorted(str(page.relative_to(SITE).with_suffix("")) for page in SITE.rglob("*.html"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=OFFLINE)
        for page in pages:
            for size in WIDTHS:
                for colours in os.environ.get("COLOURS", "light dark").split():
                    take(browser, folder, page, size, colours)
        for word in WORDS:
            search(browser, word)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or ["index"])
