"""Columns that are not in files but in the names of their folders, such as year=2024."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from chanceless.errors import TableError
from chanceless.files.engine import quoted
from chanceless.files.sources import File

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from chanceless.files.sources import Files

_MISSING = "__HIVE_DEFAULT_PARTITION__"
# No zeros in front, so that labels such as 01 stay the text they are.
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")


def find_partitions(files: Files) -> dict[str, list[str | None]]:
    """For each column that folders name, its value in every file."""
    found = [_values(path, files.root) for path in files.paths]
    for path, values in zip(files.paths, found, strict=True):
        if list(values) != list(found[0]):
            names = [f"{name}=..." for name in found[0]], [f"{name}=..." for name in values]
            msg = (
                f"{File(files.paths[0])} and {File(path)} must lie in folders that name the same columns in the same "
                f"order, but the first lies in {' in '.join(names[0][::-1]) or 'none'}, the second in "
                f"{' in '.join(names[1][::-1]) or 'none'}. Hint: read them one after the other, and add up the tables."
            )
            raise TableError(msg)
    return {name: [values[name] for values in found] for name in found[0]}


def as_sql(values: Sequence[str | None]) -> tuple[str, str]:
    """The values as a list in SQL, and their type: numbers, if all of them are plain whole numbers."""
    present = [value for value in values if value is not None]
    if present and all(_WHOLE.fullmatch(value) for value in present):
        return f"[{', '.join('null' if value is None else value for value in values)}]::bigint[]", "BIGINT"
    listed = ("null" if value is None else quoted(value) for value in values)
    return f"[{', '.join(listed)}]::varchar[]", "VARCHAR"


def _values(path: Path, root: Path) -> dict[str, str | None]:
    folders = path.absolute().parent.relative_to(root).parts
    named = (folder.partition("=") for folder in folders)
    return {unquote(name): None if value == _MISSING else unquote(value) for name, equals, value in named if equals}
