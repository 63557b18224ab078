"""Arrow and Feather: pyarrow gives DuckDB the columns that it needs, in record batches.

Arrow files have no checksums, and DuckDB trusts their offsets, indices and text: what is read is validated before.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from chanceless.errors import ExtraError
from chanceless.files.database import AGAIN, FILE, FileTable, bad_file, check_names_differ, check_same_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_END_OF_ASCII = 128
_IPC_FILE = b"ARROW1"


def read_names(table: FileTable) -> list[str]:
    """Return the names of the columns of the first file."""
    path = table.paths[0]
    with _reading(table.sources[0]) as pa, pa.memory_map(str(path)) as content:
        opener = pa.ipc.open_file if _first_bytes(path) == _IPC_FILE else pa.ipc.open_stream
        return list(opener(content).schema.names)


def open_files(table: FileTable, _wanted: set[str]) -> None:
    """Register a dataset of pyarrow with DuckDB; columns of types that DuckDB does not know are null in it."""
    schemas = list[Any]()
    for number, (path, source) in enumerate(zip(table.paths, table.sources, strict=True)):
        with _reading(source) as pa:
            if _first_bytes(path) == _IPC_FILE:
                schemas.append(pa.ipc.open_file(str(path)).schema)
            else:
                table.paths[number] = table.database.folder / f"{uuid4().hex}.arrow"
                schemas.append(_copy_stream(pa, path, table.paths[number]))
    check_same_columns(table, ([(field.name, str(field.type)) for field in schema] for schema in schemas))
    check_names_differ(schemas[0].names, table.name)
    view = f"chanceless_{uuid4().hex}"
    known = [field for field in schemas[0] if _is_known(pa, field.type)]
    own = {field.name: f"a{place}" for place, field in enumerate(known)}
    with _reading(table.name):
        table.database.connection.register(view, _dataset(pa, table.paths, known))
    described = [entry[1] for entry in table.database.query(f"describe from {view}")]
    types = dict(zip(own, described, strict=False))
    table.add_fields((field.name, types.get(field.name, str(field.type))) for field in schemas[0])
    columns = (f"{own.get(field.name, 'null')} as {field.column}" for field in table.fields)
    table.sql = f"(select {', '.join(columns)}, {FILE} from {view} as t({', '.join(own.values())}))"


def check_columns(table: FileTable, names: set[str]) -> None:
    """Raise an error if a value of these columns is outside its buffers, its dictionary or UTF-8."""
    for path, source in zip(table.paths, table.sources, strict=True):
        with _reading(source) as pa, pa.memory_map(str(path)) as content:
            schema = pa.ipc.open_file(content).schema
            places = [place for place, field in enumerate(schema) if field.name in names and _is_known(pa, field.type)]
            reader = pa.ipc.open_file(content, options=pa.ipc.IpcReadOptions(included_fields=places))
            for number in range(reader.num_record_batches if places else 0):
                _validate(pa, reader.get_batch(number))


def _validate(pa: Any, batch: Any) -> None:
    """Validate all values of a record batch. ASCII is UTF-8 wherever it is cut: its offsets alone are checked."""
    import numpy as np  # noqa: PLC0415 - slow to import

    as_bytes = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    for column in batch.columns:
        column.validate()  # the sizes of the buffers
        buffers = column.buffers()[1 if column.type == pa.string_view() else 2 :]
        is_ascii = column.type in as_bytes and all(
            np.frombuffer(buffer, np.uint8).max(initial=0) < _END_OF_ASCII for buffer in buffers if buffer
        )
        (column.view(as_bytes[column.type]) if is_ascii else column).validate(full=True)


def _dataset(pa: Any, paths: Iterable[Path], fields: Iterable[Any]) -> Any:
    """Return files as one dataset of these columns and the path of the file."""
    names = [str(path) for path in paths]
    return pa.dataset.FileSystemDataset.from_paths(
        names,
        pa.schema([*fields, (FILE, pa.string())]),
        pa.dataset.IpcFileFormat(),
        pa.fs.LocalFileSystem(use_mmap=True),
        [pa.dataset.field(FILE) == name for name in names],
    )


def _is_known(pa: Any, stored: Any) -> bool:
    is_type = pa.types
    return not (is_type.is_nested(stored) or is_type.is_decimal256(stored) or is_type.is_float16(stored))


def _copy_stream(pa: Any, path: Path, copy: Path) -> Any:
    """Copy a stream in the file format; return its schema."""
    with pa.OSFile(str(path)) as content, pa.ipc.open_stream(content) as stream:
        known = [place for place, field in enumerate(stream.schema) if _is_known(pa, field.type)]
        # a stream may change its dictionaries between batches, a file may not
        types = [field.type.value_type if pa.types.is_dictionary(field.type) else field.type for field in stream.schema]
        plain = pa.schema((stream.schema.field(place).name, types[place]) for place in known)
        with pa.ipc.new_file(str(copy), plain) as written:
            for batch in stream:
                columns = batch.select(known)
                _validate(pa, columns)
                written.write_batch(columns.cast(plain))
        return stream.schema


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_IPC_FILE))


@contextmanager
def _reading(source: str) -> Iterator[Any]:
    """Import pyarrow, an extra; turn its errors into a TableError about this source."""
    try:
        import pyarrow.dataset  # noqa: PLC0415 - an extra, and slow to import
        import pyarrow.fs  # noqa: PLC0415
    except ModuleNotFoundError as error:
        msg = "Reading Arrow files needs pyarrow, which is not installed"
        raise ExtraError(msg, hint="pip install pyarrow") from error
    try:
        yield pyarrow
    except (pyarrow.ArrowException, OSError) as error:
        raise bad_file(source, "be a complete Arrow file", hint=AGAIN) from error
