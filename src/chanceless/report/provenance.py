"""Where the numbers of a page come from: data, options, what was dropped, versions, and how to repeat it."""

from __future__ import annotations

import os
import platform
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import chanceless
from chanceless.errors import PYTHON, Text, Wording
from chanceless.report.markup import Html, isolated, scrolled, tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True)
class Origin:
    """What a result does not know of itself: the data, the options, the command, and how options are written."""

    source: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""
    wording: Wording = PYTHON


def facts(n_samples: int, n_dropped: str, average_method: str | None, origin: Origin) -> dict[str, str]:
    """Return what is known about the making of a page, for people and for programs."""
    given = {name: _written(value) for name, value in origin.options.items() if value not in (None, (), [], "")}
    return {
        **({"data": origin.source} if origin.source else {}),
        "samples compared": f"{n_samples:,}",
        "samples dropped": n_dropped,
        **({"average_method": average_method} if average_method else {}),
        **given,
        "made on": time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))),
        "chanceless": chanceless.__version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
    }


def provenance(known: Mapping[str, str], origin: Origin, repeat: str) -> Html:
    """Write the facts, and the command or the lines of Python that repeat the comparison."""
    rows = [tag("tr", tag("th", name, scope="row"), tag("td", isolated(text))) for name, text in known.items()]
    table = tag("table", tag("caption", "Data, options and versions"), tag("tbody", *rows), class_="facts")
    in_python = "In Python, with the same labels and the same options for missing labels and noise:"
    again = tag("p", "This command writes the same page:" if origin.command else in_python, class_="before")
    code = tag("pre", tag("code", origin.command or repeat), tabindex=0, role="region", aria_label="how to repeat it")
    return tag("div", scrolled(table, "data, options and versions"), again, code)


def caveats_list(caveats: Iterable[Text], others: Sequence[str], origin: Origin) -> Html:
    """List where the numbers may mislead."""
    listed = [origin.wording.text(caveat) for caveat in caveats]
    texts = [*listed, *others]
    if not texts:
        return tag("p", "Nothing unusual was found: no trivial clustering, and few or no samples dropped.")
    return tag("ul", *(tag("li", text) for text in texts), class_="caveats")


def _written(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
