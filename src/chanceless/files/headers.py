"""The names of the columns of a table, without reading it."""

from chanceless.errors import TableError
from chanceless.files.complaints import one_clear_error
from chanceless.files.partitions import find_partitions
from chanceless.files.readers import reader_of
from chanceless.files.sources import ENDINGS, AnyPath, File, called, find_files, format_of


def column_names(path: AnyPath) -> list[str]:
    r"""The names of the columns of a file, or of several; only the header or schema of the first is read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("animal,cluster\ncat,1\n")
    ...     column_names(path)
    ['animal', 'cluster']
    """
    try:
        files = find_files(path)
    except TableError as error:
        msg = f"{called(path)} is no table. Hint: tables end in {ENDINGS}."
        raise TableError(msg) from error
    with one_clear_error(File(files.paths[0])):
        names = reader_of(format_of(files.paths[0]) or "").read_names(files.paths[0])
    return [*names, *(name for name in find_partitions(files) if name not in names)]
