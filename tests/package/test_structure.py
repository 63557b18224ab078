"""The shape of the source: names and sizes of modules, lengths of functions, signatures of public names."""

import ast
import importlib
import inspect
import io
import operator
import os
import sys
import tokenize
from collections import Counter

import numpy as np
import pandas as pd
from click.testing import CliRunner

import chanceless
from chanceless.catalog import BY_NAME
from chanceless.cli.app import app
from tests.package.source import MODULES, NODES, PACKAGE

BUDGETS = {
    ".": 994,
    "certainty": 1361,
    "cli": 1056,
    "comparison": 760,
    "files": 1582,
    "labels": 860,
    "many": 811,
    "plots": 887,
    "report": 1205,
    "scores": 687,
    "show": 548,
    "tables": 2069,
}
"""Lines of code of each package, CSS and JavaScript included: to raise a number is a change that a reviewer sees."""
MOST_LINES_OF_A_MODULE = 500
MOST_LINES_OF_A_FUNCTION = 45
MOST_MODULES = 77
ROADS = {
    "arrays -> score": (2, 2, 0),
    "columns -> compare -> repr": (15, 102, 58),
    "arrays -> permutation_test": (11, 44, 24),
    "comparison -> report": (20, 117, 332),
    "CSV -> command line": (21, 133, 107),
    "CSV -> scores": (15, 77, 46),
}
"""The most files, functions and returns to a file that data pass on their way."""

KINDS = inspect.Parameter
OPTIONS = {"missing": "raise", "noise": None, "noise_as": None}
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
LABELS = {"labels_true", "labels", "frame", "chunks", "clusterings", "candidates", "path", "truth"}
"""parameters that are labels or hold them"""
WITHOUT_POLICY = {"ContingencyTable.save", "ContingencyTable.load", "files.column_names", "files.is_table"}
WITHOUT_POLICY |= {"Comparison.report", "Ranking.report", "ScoreMatrix.report"}
WITHOUT_POLICY |= {"resample_clusterings"}  # a function decides about noise, and rows without a truth are no data
WITHOUT_POLICY |= {"files.read_reviewed"}  # missing labels are records that were not reviewed
WITHOUT_POLICY |= {"files.read_labellings"}  # compare_all, which takes its result, has the options


def name_of(path):
    return path.relative_to(PACKAGE).as_posix()


def test_no_two_modules_share_a_name():
    named = [path.stem for path in MODULES if path.stem != "__init__"]
    packages = [path.parent.name for path in MODULES if path.stem == "__init__" and path.parent != PACKAGE]
    assert [name for name, count in Counter(named + packages).items() if count > 1] == []


def lines_of_code(path):
    """Count lines without blank lines, comments and docstrings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def test_packages_keep_their_budgets():
    found = Counter()
    for path in [*MODULES, *PACKAGE.rglob("*.css"), *PACKAGE.rglob("*.js")]:
        lines = lines_of_code(path)
        found[name_of(path.parent)] += lines
        assert lines <= MOST_LINES_OF_A_MODULE or path.suffix != ".py", path
    assert found.keys() == BUDGETS.keys()
    assert {package: lines for package, lines in found.items() if lines > BUDGETS[package]} == {}
    assert len(MODULES) <= MOST_MODULES


def test_no_class_has_the_name_of_another():
    names = Counter(node.name for _, node in NODES if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []


def test_facts_of_scores_stand_in_the_catalog_alone():
    """No other module has a dict with names of scores as keys."""
    for path, node in NODES:
        if isinstance(node, ast.Dict) and path.name != "catalog.py":
            keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
            assert len(keys & set(BY_NAME)) < 2, f"{name_of(path)}:{node.lineno}"


def walk(work):
    """Return the numbers of files, of functions, and of returns to a file that a call passes in this package."""
    work()  # imports and caches first
    home, path, functions = f"{PACKAGE}{os.sep}", [], set()

    def note(frame, kind, _):
        code = frame.f_code
        if kind == "call" and code.co_filename.startswith(home) and not code.co_name.startswith("<"):
            path.append(code.co_filename)
            functions.add((code.co_filename, code.co_firstlineno))

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    road = [name for place, name in enumerate(path) if place == 0 or path[place - 1] != name]
    return len(set(path)), len(functions), len(road) - len(set(road))


def test_roads_are_short(tmp_path):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 5, 1000), rng.integers(0, 7, 1000)
    frame = pd.DataFrame({"truth": [f"c{x}" for x in a], "found": b})
    comparison, table = chanceless.compare(a, b), tmp_path / "t.csv"
    frame.to_csv(table, index=False)
    command = "compare", str(table), "truth", "found"
    works = [
        lambda: chanceless.adjusted_mutual_info_score(a, b),
        lambda: repr(chanceless.compare(frame["truth"], frame["found"])),
        lambda: chanceless.permutation_test(a, b, rng=0),
        lambda: comparison.report(tmp_path / "report.html"),
        lambda: CliRunner().invoke(app, command, catch_exceptions=False),
        lambda: CliRunner().invoke(app, [*command, "--scores-only"], catch_exceptions=False),
    ]
    found = {name: walk(work) for name, work in zip(ROADS, works, strict=True)}
    long = {name: road for name, road in found.items() if any(map(operator.gt, road, ROADS[name]))}
    assert long == {}


def test_functions_are_short():
    for path, node in NODES:
        if isinstance(node, ast.FunctionDef):
            docstring = node.body[0] if ast.get_docstring(node) else None
            length = node.end_lineno - node.lineno + 1
            length -= docstring.end_lineno - docstring.lineno + 1 if docstring else 0
            assert length <= MOST_LINES_OF_A_FUNCTION, f"{name_of(path)}: {node.name}"


def is_ours(owner, name):
    """Return whether a public method is defined in this package, also if it is inherited."""
    home = next(base for base in owner.__mro__ if name in vars(base)) if not name.startswith("_") else object
    return home.__module__.startswith("chanceless") and callable(getattr(owner, name))


def public_callables():
    """Yield (path, function) of all public functions and methods, inherited ones too."""
    for module in ("chanceless", "chanceless.files", "chanceless.plots"):
        loaded = importlib.import_module(module)
        for name in loaded.__all__:
            value, path = getattr(loaded, name), f"{module}.{name}".removeprefix("chanceless.")
            if not inspect.isclass(value):
                yield path, value
            elif not issubclass(value, BaseException):
                methods = (method for method in dir(value) if is_ours(value, method))
                yield from ((f"{path}.{method}", getattr(value, method)) for method in methods)


def test_signatures_spell_out_all_options():
    for path, function in public_callables():
        parameters = inspect.signature(function).parameters
        assert not {one.kind for one in parameters.values()} & {KINDS.VAR_KEYWORD, KINDS.VAR_POSITIONAL}, path
        if LABELS & set(parameters) and path not in WITHOUT_POLICY:
            assert {name: parameters[name].default for name in OPTIONS if name in parameters} == OPTIONS, path
            assert {parameters[name].kind for name in OPTIONS} == {KINDS.KEYWORD_ONLY}, path
