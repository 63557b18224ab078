"""Arrow and Feather: pyarrow gives DuckDB the columns that it needs, in record batches."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from chanceless.errors import ExtraError
from chanceless.files.database import FILE, Field, quoted
from chanceless.files.inputs import bad_file
from chanceless.files.relation import check_names_differ, check_same_columns

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from chanceless.files.database import Database
    from chanceless.files.inputs import Files

_VIEW = "chanceless_arrow"
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
    paths, schemas = list[str](), list[Any]()
    for path, source in zip(files.paths, files.sources, strict=True):
        with _readable(pa, source):
            paths.append(str(_as_file(pa, path, source)))
            schemas.append(pa.ipc.open_file(paths[-1]).schema)
    check_same_columns(files, ([Field(field.name, str(field.type)) for field in schema] for schema in schemas))
    fields = [Field(field.name, str(field.type)) for field in schemas[0]]
    check_names_differ(schemas[0].names, files.name)
    known = [field for field in schemas[0] if _is_known(pa, field.type)]
    number = pa.schema([(FILE, pa.int64())])
    mapped = pa.fs.LocalFileSystem(use_mmap=True)
    by_name = pa.dataset.FilenamePartitioning(number)
    view = f"{_VIEW} {files.paths[0].parent.name}"  # a database may have several
    database.connection.register(view, pa.dataset.dataset(paths, pa.schema([*known, *number]), "ipc", mapped, by_name))
    source = quoted(view, '"')
    described = database.query(f"describe from {source}")
    types = {field.name: entry[1] for field, entry in zip(known, described, strict=False)}
    own = {name: f"a{place}" for place, name in enumerate(types)}
    columns = (f"{own.get(field.name, 'null')} as c{place}" for place, field in enumerate(fields))
    sql = f"(select {', '.join(columns)}, {FILE} from {source} as t({', '.join(own.values())}))"
    return sql, [Field(field.name, types.get(field.name, field.type)) for field in fields]


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


def _as_file(pa: Any, path: Path, source: str) -> Path:
    """Return a file with random access: of the stream format a copy, written batch by batch."""
    start = _first_bytes(path)
    if start == _IPC_FILE:
        return path
    if start.startswith(_FEATHER_1):
        hint = "write it again as Parquet, or by a recent pyarrow"
        raise bad_file(source, "be a Feather file of version 2", "one of version 1", hint)
    copy = path.with_suffix(".copy.arrow")
    with pa.memory_map(str(path)) as content, pa.ipc.open_stream(content) as stream:
        # a stream may change its dictionaries between batches, a file may not
        plain = pa.schema(
            field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
            for field in stream.schema
        )
        with pa.ipc.new_file(str(copy), plain) as written:
            for batch in stream:
                written.write_batch(batch.cast(plain))
    return copy


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_IPC_FILE))


@contextmanager
def _readable(pa: Any, source: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise bad_file(source, "be a complete Arrow file", hint="copy or write it again") from error
