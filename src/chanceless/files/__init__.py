"""Clusterings in files: two columns of a table, many columns, or two files of labels."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chanceless.files.inputs import Stream as Stream
    from chanceless.files.inputs import is_table as is_table
    from chanceless.files.label_files import read_label_files as read_label_files
    from chanceless.files.labellings import looks_like_id as looks_like_id
    from chanceless.files.labellings import looks_like_measurement as looks_like_measurement
    from chanceless.files.labellings import read_labellings as read_labellings
    from chanceless.files.reading import read_spectrum as read_spectrum
    from chanceless.files.reading import read_table as read_table
    from chanceless.files.reading import spell_noise as spell_noise
    from chanceless.files.relation import column_names as column_names

_MODULES = {
    "Stream": "inputs",
    "column_names": "relation",
    "is_table": "inputs",
    "looks_like_id": "labellings",
    "looks_like_measurement": "labellings",
    "read_label_files": "label_files",
    "read_labellings": "labellings",
    "read_spectrum": "reading",
    "read_table": "reading",
    "spell_noise": "reading",
}

__all__ = [*_MODULES]  # noqa: PLE0604 - they are strings


def __getattr__(name: str) -> Any:
    """Import a public name when it is used: shells complete names of columns without importing numpy."""
    if name not in _MODULES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return globals()[name]
