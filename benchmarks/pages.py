"""Puts results into a page of docs."""

import re
from pathlib import Path

CALIBRATION = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "calibration.md"


def replace_section(page: Path, text: str) -> None:
    """Replace the section of a page that has the heading ("## ...") of the text."""
    heading = text.partition("\n")[0]
    pattern = rf"^{re.escape(heading)}\n.*?(?=^## |\Z)"
    old = page.read_text(encoding="utf-8")
    new, found = re.subn(pattern, lambda _: text.rstrip("\n") + "\n\n", old, flags=re.MULTILINE | re.DOTALL)
    assert found == 1, f"{page.name} has {found} sections {heading!r}"
    page.write_text(new.rstrip("\n") + "\n", encoding="utf-8")
