"""The shape of the source: names and sizes of modules, lengths of functions, signatures of public names."""

import ast
import importlib
import inspect
from collections import Counter
from pathlib import Path

import pytest

import chanceless

PACKAGE = Path(chanceless.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
MOST_MODULES = 15
MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 45

OPTIONS = {"missing": "raise", "noise": None, "noise_as": None}
LABELS = {"labels_true", "labels", "frame", "chunks", "clusterings", "candidates", "path", "truth"}
"""parameters that are labels or hold them"""
WITHOUT_POLICY = {
    "ContingencyTable.save",
    "ContingencyTable.load",
    "Comparison.report",
    "Ranking.report",
    "ScoreMatrix.report",
    "files.column_names",
    "files.is_table",
    "files.read_labellings",  # compare_all, which takes its result, has the options
}


def name_of(path):
    return path.relative_to(PACKAGE).as_posix()


def test_no_two_modules_share_a_name():
    named = [path.stem for path in MODULES if path.stem != "__init__"]
    packages = [path.parent.name for path in MODULES if path.stem == "__init__" and path.parent != PACKAGE]
    assert [name for name, count in Counter(named + packages).items() if count > 1] == []


def test_packages_are_small():
    sizes = Counter(path.parent for path in MODULES if not path.stem.startswith("__"))
    assert {name_of(package): size for package, size in sizes.items() if size > MOST_MODULES} == {}


def test_modules_are_short():
    lengths = {name_of(path): len(path.read_text().splitlines()) for path in MODULES}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_functions_are_short():
    long = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                docstring = node.body[0] if ast.get_docstring(node) else None
                length = node.end_lineno - node.lineno + 1
                length -= docstring.end_lineno - docstring.lineno + 1 if docstring else 0
                if length > MOST_LINES_OF_A_FUNCTION:
                    long[f"{name_of(path)}: {node.name}"] = length
    assert long == {}


def is_ours(owner, name):
    """Return whether a public method is defined in this package, also if it is inherited."""
    home = next(base for base in owner.__mro__ if name in vars(base)) if not name.startswith("_") else object
    return home.__module__.startswith("chanceless") and callable(getattr(owner, name))


def public_callables():
    for module in ("chanceless", "chanceless.files", "chanceless.plots", "chanceless.terms"):
        loaded = importlib.import_module(module)
        prefix = module.removeprefix("chanceless").removeprefix(".")
        for name in loaded.__all__:
            value = getattr(loaded, name)
            path = f"{prefix}.{name}" if prefix else name
            if not inspect.isclass(value):
                yield pytest.param(value, path, id=path)
            elif not issubclass(value, BaseException):
                for method in dir(value):  # inherited ones too
                    if is_ours(value, method):
                        yield pytest.param(getattr(value, method), f"{path}.{method}", id=f"{path}.{method}")


@pytest.mark.parametrize(("function", "path"), list(public_callables()))
def test_signatures_spell_out_all_options(function, path):
    parameters = inspect.signature(function).parameters
    assert [name for name, one in parameters.items() if one.kind in {one.VAR_KEYWORD, one.VAR_POSITIONAL}] == []
    if LABELS & set(parameters) and path not in WITHOUT_POLICY:
        assert {name: parameters[name].default for name in OPTIONS if name in parameters} == OPTIONS
        assert {parameters[name].kind for name in OPTIONS} == {inspect.Parameter.KEYWORD_ONLY}
