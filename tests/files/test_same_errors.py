"""The same bad file gives the same error from `read_table` and `read_spectrum`, and the same fields as a dataframe."""

import sys

import polars as pl
import pytest

from chanceless import ContingencyTable, Spectrum
from chanceless.errors import ChancelessError, LabelsError, LabelsWarning, TableError
from chanceless.files import read_spectrum, read_table
from tests.files.test_several import write_part
from tests.pets import PETS

COLUMNS = {"a": ["x", "y", None, "z"], "b": ["1", "1", "2", "2"], "n": [1, -2, 3, 0]}
ENDINGS = [".csv", ".jsonl", ".parquet", ".arrow"]
FRAME_ERRORS = {
    "missing label": ({"predicted": "b"}, LabelsError),
    "bad weight": ({"predicted": "b", "weight": "n", "missing": "drop"}, TableError),
    "unknown column": ({"predicted": "c"}, ChancelessError),
    "unknown weight": ({"predicted": "b", "weight": "m"}, ChancelessError),
}
BROKEN = {
    "ragged row": ("t.csv", b"a,b\nx,1\ny\n", {}),
    "open quote": ("t.csv", b'a,b\nx,1\n"y,2\n', {}),
    "lost rows": ("t.csv", b'a,b\nx"x,1\ny"y,1\n', {}),
    "not UTF-8": ("t.csv", "a,b\né,1\n".encode("latin-1"), {}),
    "empty file": ("t.csv", b"", {}),
    "no header": ("t.csv", b"\na,b\n", {}),
    "two columns of one name": ("t.csv", b"a,b,a\n1,2,3\n", {}),
    "missing label": ("t.csv", b"a,b\nx,1\n,2\n", {}),
    "bad weight": ("t.csv", b"a,b,n\nx,1,1\ny,2,many\n", {"weight": "n"}),
    "unknown column": ("t.csv", b"a,B\nx,1\n", {}),
    "CSV named Parquet": ("t.parquet", PETS, {}),
    "CSV named Arrow": ("t.arrow", PETS, {}),
    "CSV named JSON": ("t.jsonl", PETS, {}),
    "CSV named gzip": ("t.csv.gz", PETS, {}),
    "unknown ending": ("t.xlsx", PETS, {}),
    "nested values": ("t.jsonl", b'{"a": [1], "b": 2}\n', {}),
    "long number": ("t.jsonl", b'{"a": 9223372036854775808, "b": 2}\n', {}),
    "no condition": ("t.csv", b"a,b\nx,1\n", {"where": "b >"}),
    "another file": ("t.csv", b"a,b\nx,1\n", {"where": "b in (from 'other.csv')"}),
    "unknown column in a condition": ("t.csv", b"a,b\nx,1\n", {"where": "c = 1"}),
    "failing condition": ("t.csv", b"a,b\nx,1\n", {"where": "b > 'x'"}),
    "noise of another kind": ("t.jsonl", b'{"a": 1, "b": 2}\n', {"noise": "outlier", "noise_as": "drop"}),
    "unknown policy": ("t.csv", b"a,b\nx,1\n", {"missing": "ignore"}),
    "memory limit": ("t.csv", b"a,b\nx,1\n", {"memory_limit": "much"}),
}


def raised(call, *arguments, **options):
    with pytest.raises(ChancelessError) as caught:
        call(*arguments, **options)
    return caught.value


@pytest.mark.parametrize("name", BROKEN)
def test_the_same_text(write, name):
    file, content, options = BROKEN[name]
    path = write(content, file)
    table, spectrum = (raised(read, path, "a", "b", **options) for read in (read_table, read_spectrum))
    assert type(table) is type(spectrum)
    assert str(table) == str(spectrum)
    assert (table.argument, table.expected, table.given, table.hint, table.source) == (
        *(spectrum.argument, spectrum.expected, spectrum.given, spectrum.hint, spectrum.source),
    )
    assert table.argument is not None
    assert "\n" not in str(table)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", FRAME_ERRORS)
def test_the_fields_of_a_dataframe(tmp_path, name, ending):
    options, kind = FRAME_ERRORS[name]
    stored = {key: [("" if value is None and ending == ".csv" else value) for value in COLUMNS[key]] for key in COLUMNS}
    path = write_part(tmp_path / f"t{ending}", stored)
    for read, frame in ((read_table, ContingencyTable.from_frame), (read_spectrum, Spectrum.from_frame)):
        in_file = raised(read, path, "a", **options)
        in_frame = raised(frame, pl.DataFrame(COLUMNS).lazy(), "a", **options)
        assert isinstance(in_file, kind)
        assert isinstance(in_frame, kind)
        for field in ("argument", "expected", "hint"):
            assert getattr(in_file, field) == getattr(in_frame, field)
        # a file also has the first bad weight
        assert in_file.given.startswith(in_frame.given)
        assert in_file.source.file == repr(str(path))
        assert in_file.source.column == in_frame.source.column
        assert in_file.source.row == (2 if name == "bad weight" else None)


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_warnings(tmp_path, ending):
    path = write_part(tmp_path / f"t{ending}", {"a": ["NA", "x", "NA", "None"], "b": ["1", "2", "2", "2"]})
    texts = list[list[str]]()
    for read in (read_table, read_spectrum):
        with pytest.warns(LabelsWarning) as given:
            read(path, "a", "b", noise=["7", "-1"], noise_as="drop")
        assert all(warning.filename == __file__ for warning in given)
        texts.append(sorted(str(warning.message) for warning in given))
    assert texts[0] == texts[1]
    assert len(texts[0]) == 2


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_no_pyarrow_is_needed(tmp_path, monkeypatch, ending):
    path = write_part(tmp_path / f"t{ending}", {"a": ["x", "y", "z"], "b": [1, 1, 2], "n": [1, 2, 3]})
    expected = read_table(path, "a", "b", weight="n")
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    assert read_table(path, "a", "b", weight="n", where="n > 0") == expected
    assert read_spectrum(path, "a", "b", weight="n", where="n > 0") == expected.spectrum()
