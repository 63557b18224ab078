"""Clusterings in files: two columns of a table, many columns, or two files of labels."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chanceless.files.headers import column_names as column_names
    from chanceless.files.labellings import looks_like_id as looks_like_id
    from chanceless.files.labellings import read_labellings as read_labellings
    from chanceless.files.lines import read_label_files as read_label_files
    from chanceless.files.policies import spell_noise as spell_noise
    from chanceless.files.policies import warn_of_no_noise as warn_of_no_noise
    from chanceless.files.sources import Stream as Stream
    from chanceless.files.sources import is_table as is_table
    from chanceless.files.spectra import read_spectrum as read_spectrum
    from chanceless.files.tables import read_table as read_table

_MODULES = {
    "Stream": "sources",
    "column_names": "headers",
    "is_table": "sources",
    "looks_like_id": "labellings",
    "read_label_files": "lines",
    "read_labellings": "labellings",
    "read_spectrum": "spectra",
    "read_table": "tables",
    "spell_noise": "policies",
    "warn_of_no_noise": "policies",
}

__all__ = [*_MODULES]  # noqa: PLE0604 - strings they are


def __getattr__(name: str) -> Any:
    """Import what is asked for: names of columns are completed in a shell, where numpy would be felt."""
    if name not in _MODULES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
