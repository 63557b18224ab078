"""Take the pictures of the report of the example: python docs/make_screenshot.py.

Needs Chromium (Debian: chromium) and `pip install ".[test]"`.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

PICTURES = Path(__file__).resolve().parent / "how-to" / "report"
PAGE = "demo-report.html"
OFFLINE = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
WIDTH, HEIGHT, COLOURS = 1000, 625, 256


def main() -> None:
    """Write the report, and take pictures of its first part and of the cell under the pointer."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        subprocess.run([sys.executable, "-m", "chanceless", "demo", "--report"], cwd=folder, check=True)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=OFFLINE)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto((Path(folder) / PAGE).as_uri())
        page.screenshot(path=PICTURES / "report.png")
        page.set_viewport_size({"width": HEIGHT, "height": WIDTH})
        page.locator("#pictures").scroll_into_view_if_needed()
        page.locator("svg.heat .cell").nth(7).hover()
        page.locator("#pictures").screenshot(path=PICTURES / "pictures.png")
        browser.close()
    for path in PICTURES.glob("*.png"):
        Image.open(path).convert("RGB").quantize(COLOURS).save(path, optimize=True)


if __name__ == "__main__":
    main()
