"""CONTRIBUTING.md: the steps to add a score, an engine and a file format are those that the tree needs."""

import re
from pathlib import Path

import pyarrow as pa
from pyarrow import orc

import chanceless
from chanceless import ContingencyTable
from chanceless.files import formats, read_table

ROOT = Path(__file__).parents[2]
PACKAGE = Path(chanceless.__file__).parent
SECTIONS = dict(re.findall(r"^## (Add .*)\n((?:(?!## ).*\n)*)", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE))
FENCE = re.compile(r"```python\n(.*?)```", re.DOTALL)
TABLE = pa.table({"truth": ["a", "a", "b"], "found": ["x", "y", "y"]})


def section(start):
    return next(text for title, text in SECTIONS.items() if title.startswith(start))


def paths(text):
    """Return the paths in backticks, outside of code."""
    return set(re.findall(r"`([\w/.-]+\.(?:pyi?|md|toml|hpp))`", FENCE.sub("", text)))


def containing(pattern):
    """Return the modules of the package in which a pattern occurs."""
    modules = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]
    return {path.relative_to(PACKAGE).as_posix() for path in modules if re.search(pattern, path.read_text())}


def test_titles_count_their_steps():
    numbers = {"three": 3, "five": 5, "six": 6}
    for title, text in SECTIONS.items():
        assert re.findall(r"^(\d+)\. ", text, re.MULTILINE) == [str(i + 1) for i in range(numbers[title.split()[-2]])]
    assert len(SECTIONS) == 3


def test_files_that_are_named_exist():
    named = set().union(*map(paths, SECTIONS.values())) - {"orc_format.py"}
    assert [path for path in named if not any((top / path).exists() for top in (ROOT, PACKAGE))] == []
    named = {path for path in paths(section("Add a score")) if not path.startswith(("cpp/", "tests/", "docs/"))}
    assert named == containing(r"\bfowlkes_mallows(_score)?\b")


def test_only_one_module_asks_for_the_engine():
    assert containing(r"\bImplementation\.[A-Z]") == {"tables/engines.py"}
    (entry,) = FENCE.findall(section("Add an engine"))
    assert "".join(entry.split()) in "".join((PACKAGE / "tables" / "engines.py").read_text().split())


def test_the_formats_of_the_page_are_read(tmp_path, monkeypatch):
    entry, function = FENCE.findall(section("Add a file format"))
    names = dict(vars(formats))
    exec(function, names)
    exec(entry, names)
    monkeypatch.setattr(formats, "FORMATS", (*names["FORMATS"], names["ORC"]))
    expected = ContingencyTable.from_frame(TABLE, *TABLE.column_names)
    (tmp_path / "pets.psv").write_text("truth|found\na|x\na|y\nb|y\n")
    assert read_table(tmp_path / "pets.psv", "truth", "found") == expected
    for name, part in {"first": TABLE.slice(0, 1), "second": TABLE.slice(1)}.items():
        orc.write_table(part, tmp_path / f"{name}.orc")
    assert read_table(tmp_path / "*.orc", "truth", "found") == expected
