"""Arrow and Feather: pyarrow gives DuckDB the columns that it needs, in record batches.

Arrow files have no checksums, and DuckDB trusts their offsets, indices and text: what is read is validated before.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from chanceless.errors import ExtraError
from chanceless.files.database import FILE, Field, quoted
from chanceless.files.inputs import AGAIN, bad_file
from chanceless.files.relation import check_names_differ, check_same_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from chanceless.files.database import Database
    from chanceless.files.inputs import Files

_VIEW = "chanceless_arrow"
_END_OF_ASCII = 128
_IPC_FILE, _FEATHER_1 = b"ARROW1", b"FEA1"


def read_names(path: Path) -> list[str]:
    """Return the names of the columns."""
    pa = _import_pyarrow()
    with _readable(pa, repr(str(path))), pa.memory_map(str(path)) as content:
        opener = pa.ipc.open_file if _first_bytes(path) == _IPC_FILE else pa.ipc.open_stream
        return list(opener(content).schema.names)


def open_files(files: Files, _wanted: set[str], database: Database) -> tuple[str, list[Field]]:
    """Register a dataset of pyarrow with DuckDB, without columns whose types DuckDB does not know."""
    pa = _import_pyarrow()
    schemas = list[Any]()
    for path, source in zip(files.paths, files.sources, strict=True):
        with _readable(pa, source):
            schemas.append(_as_file(pa, path, source))
    check_same_columns(files, ([Field(field.name, str(field.type)) for field in schema] for schema in schemas))
    fields = [Field(field.name, str(field.type)) for field in schemas[0]]
    check_names_differ(schemas[0].names, files.name)
    known = [field for field in schemas[0] if _is_known(pa, field.type)]
    view = f"{_VIEW} {files.paths[0].parent.name}"  # a database may have several
    with _readable(pa, files.name):
        database.connection.register(view, _dataset(pa, files.paths, known))
    source = quoted(view, '"')
    described = database.query(f"describe from {source}")
    types = {field.name: entry[1] for field, entry in zip(known, described, strict=False)}
    own = {name: f"a{place}" for place, name in enumerate(types)}
    columns = (f"{own.get(field.name, 'null')} as c{place}" for place, field in enumerate(fields))
    sql = f"(select {', '.join(columns)}, {FILE} from {source} as t({', '.join(own.values())}))"
    return sql, [Field(field.name, types.get(field.name, field.type)) for field in fields]


def check_columns(files: Files, names: Collection[str]) -> None:
    """Raise an error if a value of these columns is outside its buffers, its dictionary or UTF-8."""
    pa = _import_pyarrow()
    for path, source in zip(files.paths, files.sources, strict=True):
        with _readable(pa, source), pa.memory_map(str(path)) as content:
            schema = pa.ipc.open_file(content).schema
            places = [place for place, field in enumerate(schema) if field.name in names and _is_known(pa, field.type)]
            reader = pa.ipc.open_file(content, options=pa.ipc.IpcReadOptions(included_fields=places))
            for number in range(reader.num_record_batches if places else 0):
                _validate(pa, reader.get_batch(number))


def _validate(pa: Any, batch: Any) -> None:
    """Validate all values of a record batch. ASCII is UTF-8 wherever it is cut: its offsets alone are checked."""
    as_bytes = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    for column in batch.columns:
        column.validate()  # the sizes of the buffers
        first = 1 if column.type == pa.string_view() else 2
        is_ascii = column.type in as_bytes and _is_ascii(column.buffers()[first:])
        (column.view(as_bytes[column.type]) if is_ascii else column).validate(full=True)


def _is_ascii(buffers: Iterable[Any]) -> bool:
    return all(np.frombuffer(buffer, np.uint8).max(initial=0) < _END_OF_ASCII for buffer in buffers if buffer)


def _dataset(pa: Any, paths: Iterable[Path], fields: Sequence[Any]) -> Any:
    """Return files as one dataset of these columns and the number of the file."""
    number = pa.schema([(FILE, pa.int64())])
    mapped, by_name = pa.fs.LocalFileSystem(use_mmap=True), pa.dataset.FilenamePartitioning(number)
    return pa.dataset.dataset([*map(str, paths)], pa.schema([*fields, *number]), "ipc", mapped, by_name)


def _import_pyarrow() -> Any:
    try:
        import pyarrow.dataset  # noqa: PLC0415 - an extra, and slow to import
        import pyarrow.fs  # noqa: PLC0415
    except ModuleNotFoundError as error:
        msg = "Reading Arrow files needs pyarrow, which is not installed"
        raise ExtraError(msg, hint="pip install pyarrow") from error
    return pyarrow


def _is_known(pa: Any, stored: Any) -> bool:
    is_type = pa.types
    return not (is_type.is_nested(stored) or is_type.is_decimal256(stored) or is_type.is_float16(stored))


def _as_file(pa: Any, path: Path, source: str) -> Any:
    """Return the schema of a staged file; replace a stream by a copy in the file format."""
    start = _first_bytes(path)
    if start == _IPC_FILE:
        return pa.ipc.open_file(str(path)).schema
    if start.startswith(_FEATHER_1):
        hint = "write it again as Parquet, or by a recent pyarrow"
        raise bad_file(source, "be a Feather file of version 2", "one of version 1", hint)
    copy = path.with_suffix(".copy")
    with pa.OSFile(str(path)) as content, pa.ipc.open_stream(content) as stream:
        known = [place for place, field in enumerate(stream.schema) if _is_known(pa, field.type)]
        # a stream may change its dictionaries between batches, a file may not
        plain = pa.schema((field.name, _plain_type(pa, field.type)) for field in map(stream.schema.field, known))
        with pa.ipc.new_file(str(copy), plain) as written:
            for batch in stream:
                columns = batch.select(known)
                _validate(pa, columns)
                written.write_batch(columns.cast(plain))
        schema = stream.schema
    copy.replace(path)  # Windows refuses that while a file is mapped into memory
    return schema


def _plain_type(pa: Any, stored: Any) -> Any:
    return stored.value_type if pa.types.is_dictionary(stored) else stored


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_IPC_FILE))


@contextmanager
def _readable(pa: Any, source: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise bad_file(source, "be a complete Arrow file", hint=AGAIN) from error
