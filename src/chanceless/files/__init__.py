"""Clusterings in files: two columns of a table, many columns, or two files of labels."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chanceless.files.formats import Stream as Stream
    from chanceless.files.formats import column_names as column_names
    from chanceless.files.formats import is_table as is_table
    from chanceless.files.label_files import read_label_files as read_label_files
    from chanceless.files.readers import looks_like_id as looks_like_id
    from chanceless.files.readers import looks_like_measurement as looks_like_measurement
    from chanceless.files.readers import read_labellings as read_labellings
    from chanceless.files.readers import read_spectrum as read_spectrum
    from chanceless.files.readers import read_table as read_table
    from chanceless.files.readers import spell_noise as spell_noise

_MODULES = {
    "Stream": "formats",
    "column_names": "formats",
    "is_table": "formats",
    "looks_like_id": "readers",
    "looks_like_measurement": "readers",
    "read_label_files": "label_files",
    "read_labellings": "readers",
    "read_spectrum": "readers",
    "read_table": "readers",
    "spell_noise": "readers",
}

__all__ = [*_MODULES]  # noqa: PLE0604 - they are strings


def __getattr__(name: str) -> Any:
    """Import a public name when it is used: shells complete names of columns without importing numpy."""
    if name not in _MODULES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return globals()[name]
