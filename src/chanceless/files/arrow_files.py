"""Arrow and Feather files, by pyarrow: DuckDB takes from it the columns that it needs, in record batches."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from chanceless.errors import ExtraError, TableError
from chanceless.files.agreement import Field, check_same_columns
from chanceless.files.links import FILE
from chanceless.files.relations import check_names_differ, relate
from chanceless.files.sources import File

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from chanceless.files.engine import Database
    from chanceless.files.links import PlainFiles
    from chanceless.files.relations import Relation

_VIEW = "chanceless_arrow"
_IPC_FILE, _FIRST_FEATHER = b"ARROW1", b"FEA1"


def import_pyarrow(reason: str) -> Any:
    """Pyarrow, or how to get it."""
    try:
        import pyarrow.dataset  # noqa: PLC0415 - an extra, and slow to import
        import pyarrow.fs  # noqa: PLC0415
    except ModuleNotFoundError as error:
        msg = f"{reason} needs pyarrow, which is not installed. Hint: pip install pyarrow"
        raise ExtraError(msg) from error
    return pyarrow


def read_names(file: Path) -> list[str]:
    """The names of the columns."""
    pa = import_pyarrow("Reading Arrow files")
    with _one_clear_error(pa, File(file)), pa.memory_map(str(file)) as content:
        opened = pa.ipc.open_file if _start(file) == _IPC_FILE else pa.ipc.open_stream
        return list(opened(content).schema.names)


def open_files(plain: PlainFiles, _wanted: set[str], database: Database) -> Relation:
    """Show DuckDB a data set of pyarrow, but for columns that it does not know and that are no labels."""
    pa = import_pyarrow("Reading Arrow files")
    paths, schemas = list[str](), list[Any]()
    for path, source in zip(plain.paths, plain.sources, strict=True):
        with _one_clear_error(pa, source):
            paths.append(str(_as_file(pa, path, source)))
            schemas.append(pa.ipc.open_file(paths[-1]).schema)
    check_same_columns(plain, ([Field(field.name, str(field.type)) for field in schema] for schema in schemas))
    check_names_differ(schemas[0].names, plain.name)
    known = [field for field in schemas[0] if _is_known(pa, field.type)]
    number = pa.schema([(FILE, pa.int64())])
    numbered = pa.dataset.FilenamePartitioning(number)
    mapped = pa.fs.LocalFileSystem(use_mmap=True)
    data = pa.dataset.dataset(paths, pa.schema([*known, *number]), "ipc", mapped, numbered)
    database.connection.register(_VIEW, data)
    types = {name: kind for name, kind, *_ in database.rows(f"describe select * from {_VIEW}")}
    return _related(plain, schemas[0], dict(zip((field.name for field in known), types.values(), strict=False)))


def _related(plain: PlainFiles, schema: Any, types: dict[str, str]) -> Relation:
    """Columns by their place, and nothing in the place of those that are not known."""
    own = {name: f"a{place}" for place, name in enumerate(types)}
    every = ", ".join(f"{own.get(name, 'null')} as c{place}" for place, name in enumerate(schema.names))
    fields = [Field(field.name, types.get(field.name, str(field.type))) for field in schema]
    return relate(plain, f"(select {every}, {FILE} from {_VIEW} as t({', '.join(own.values())}))", fields, number=FILE)


def _is_known(pa: Any, stored: Any) -> bool:
    is_type = pa.types
    return not (is_type.is_nested(stored) or is_type.is_decimal256(stored) or is_type.is_float16(stored))


def _as_file(pa: Any, path: Path, source: object) -> Path:
    """A file that can be read at any place: of a stream, a copy, made batch by batch."""
    start = _start(path)
    if start == _IPC_FILE:
        return path
    if start.startswith(_FIRST_FEATHER):
        msg = f"{source} is a Feather file of version 1. Hint: write it anew, as Parquet, or by a pyarrow of today."
        raise TableError(msg)
    copy = path.with_suffix(".copy.arrow")
    with pa.memory_map(str(path)) as content, pa.ipc.open_stream(content) as stream:
        plain = pa.schema([_without_dictionary(pa, field) for field in stream.schema])
        with pa.ipc.new_file(str(copy), plain) as written:
            for batch in stream:
                written.write_batch(batch.cast(plain))
    return copy


def _without_dictionary(pa: Any, field: Any) -> Any:
    """A stream may change its dictionaries on the way, a file may not."""
    return field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_IPC_FILE))


@contextmanager
def _one_clear_error(pa: Any, source: object) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        msg = f"{source} is not an Arrow file, or is incomplete. Hint: copy or write it again."
        raise TableError(msg) from error
