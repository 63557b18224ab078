"""Clusterings in files: two columns of a table, many columns, or two files of labels."""

from importlib import import_module
from typing import Any

# Type checkers read __init__.pyi.
_MODULES = {
    "Stream": "formats",
    "column_names": "formats",
    "is_table": "formats",
    "looks_like_id": "readers",
    "looks_like_measurement": "readers",
    "read_label_files": "label_files",
    "read_labellings": "readers",
    "read_reviewed": "readers",
    "read_spectrum": "readers",
    "read_table": "readers",
    "spell_noise": "readers",
}

__all__ = [*_MODULES]  # noqa: PLE0604 - they are strings
__dir__ = __all__.copy


def __getattr__(name: str) -> Any:
    """Import a public name when it is used: shells complete names of columns without importing numpy."""
    if name not in _MODULES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return globals()[name]
