"""The formats of tables. To add one, add an entry here and write its module."""

from __future__ import annotations

from typing import NamedTuple


class Format(NamedTuple):
    """A format: its name, the endings of its files, and the module that reads it.

    `magic` are the first bytes of a stream in this format. Text may be gzipped, and its rows are counted twice, since
    DuckDB may lose some. `separators` are the characters that may separate two fields. `is_trusted` means that DuckDB
    takes its values unchecked, so that the module checks them before.
    """

    name: str
    endings: tuple[str, ...]
    module: str
    magic: tuple[bytes, ...] = ()
    is_text: bool = False
    separators: str = ""
    is_trusted: bool = False


CSV = Format("csv", (".csv",), "chanceless.files.csv_format", is_text=True, separators=",;\t|")
TSV = Format("tsv", (".tsv",), "chanceless.files.csv_format", is_text=True, separators="\t")
JSON = Format("json", (".jsonl", ".ndjson"), "chanceless.files.json_format", (b"{",), is_text=True)
PARQUET = Format("parquet", (".parquet",), "chanceless.files.parquet_format", (b"PAR1",))
ARROW = Format(
    "arrow",
    (".arrow", ".feather", ".ipc"),
    "chanceless.files.arrow_format",
    (b"ARROW1", b"\xff\xff\xff\xff"),
    is_trusted=True,
)

FORMATS = (CSV, TSV, JSON, PARQUET, ARROW)
BY_ENDING = {ending: kind for kind in FORMATS for ending in kind.endings}
_TEXT = ", ".join(ending for ending, kind in BY_ENDING.items() if kind.is_text)
_OTHER = [ending for ending, kind in BY_ENDING.items() if not kind.is_text]
ENDINGS = f"{_TEXT} (also with .gz), {', '.join(_OTHER[:-1])} or {_OTHER[-1]}"

_SHEET = "save the sheet as CSV"
_FRAME = "store the dataframe as Parquet: frame.to_parquet(...)"
HINTS = {
    ".h5ad": "store adata.obs as Parquet: adata.obs.to_parquet(...)",
    **dict.fromkeys((".h5", ".hdf5", ".pkl", ".pickle", ".orc"), _FRAME),
    **dict.fromkeys((".xlsx", ".xls", ".ods"), _SHEET),
    **dict.fromkeys((".rds", ".rdata"), "store the data frame as CSV: write.csv(...)"),
    **dict.fromkeys((".zip", ".zst", ".bz2", ".xz"), "decompress it first"),
    ".json": "write one object in each line, as .jsonl",
}
"""What to do with files that are often tried."""
