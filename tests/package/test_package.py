"""What the package promises as a whole: names, options, imports, documentation."""

import ast
import importlib
import inspect
import pydoc
import re
import subprocess
import sys
from importlib.metadata import requires, version
from pathlib import Path

import numpy as np
import pytest

import chanceless

ROOT = Path(__file__).parents[2]
LABELS = [0, 0, 1, 1, 2], [0, 1, 1, 2, 2]


def test_names_are_listed_and_there():
    assert sorted(chanceless.__all__) == chanceless.__all__
    assert len(chanceless.__all__) <= 66
    for name in chanceless.__all__:
        documentation = inspect.getdoc(getattr(chanceless, name))
        assert documentation, name
        assert ">>>" in documentation or not name.endswith("_score"), name
    assert (Path(chanceless.__file__).parent / "py.typed").exists()
    with pytest.raises(AttributeError, match="module 'chanceless' has no attribute 'comparee'") as caught:
        chanceless.comparee  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("comparee", chanceless)  # so that Python suggests a name


def test_shells_complete_public_names_only():
    modules = {name: getattr(chanceless, name) for name in ("errors", "files", "plots")}
    assert {*dir(chanceless)} == {*chanceless.__all__, *modules}
    assert [name for name, module in modules.items() if {*dir(module)} != {*module.__all__}] == []


def test_every_place_has_this_version():
    assert chanceless.__version__ == version("chanceless")
    assert f"\nversion: {chanceless.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {chanceless.__version__} (" in (ROOT / "CHANGELOG.md").read_text()
    command = [sys.executable, "-m", "chanceless", "--version"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == f"chanceless {chanceless.__version__}\n"


def test_run_time_dependencies():
    needed = [requirement for requirement in requires("chanceless") if "extra ==" not in requirement]
    assert sorted(requirement.split(">")[0] for requirement in needed) == ["narwhals", "numpy"]


FRAME = "frame = polars.LazyFrame({'a': [1, 2], 'b': [1, 1], 'n': [1, 2]})"
COUNTED = "chanceless.Spectrum.from_frame(frame, 'a', 'b', weight='n', noise=1, noise_as='singletons')"
HEAVY = {"pandas", "duckdb", "ibis", "dask", "distributed", "pyspark", "py4j", "scipy", "sklearn", "mpmath"}
HEAVY |= {"click", "rich", "matplotlib"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "loaded", "not_loaded"),
    [
        ("pass", set(), {"numpy", "narwhals", "chanceless.files", "chanceless.plots"}),
        ("chanceless.compare_all, chanceless.compare", {"numpy"}, HEAVY | {"polars", "pyarrow"}),
        (f"import polars; {FRAME}; chanceless.compare(frame, 'a', 'b'); {COUNTED}", {"polars"}, HEAVY),
        ("chanceless.files.__name__", {"chanceless.files"}, {"chanceless.plots", "matplotlib"}),
        ("chanceless.plots.__name__", {"chanceless.plots"}, {"chanceless.files", "duckdb"}),
    ],
)
def test_nothing_is_imported_that_is_not_used(work, loaded, not_loaded):
    command = [sys.executable, "-c", f"import sys, chanceless; {work}; print(*sys.modules)"]
    names = {*subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()}
    assert loaded <= names
    assert not not_loaded & names


def test_type_checkers_see_the_same_names():
    stub = ast.parse(Path(chanceless.__file__).with_suffix(".pyi").read_text())
    seen = set()
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            names = [name.name for name in node.names]
            seen.update(importlib.import_module(node.module).__all__ if names == ["*"] else names)
    assert seen == {*chanceless.__all__, *chanceless._SUBMODULES}


def test_help_starts_with_what_to_call_first():
    first, second, guide = inspect.getdoc(chanceless).split("\n\n")[:3]
    assert (first, second) == ("How alike are two clusterings, beyond chance?", "What to call first:")
    assert "    What to call first:" in pydoc.plain(pydoc.render_doc(chanceless)).splitlines()[:8]
    assert all(hasattr(chanceless, name) for name in re.findall(r"\w+(?=\()|\w+_score\b", guide))
    assert all(hasattr(chanceless.ContingencyTable, name) for name in re.findall(r"\bfrom_\w+", guide))


def test_beta_of_other_types():
    value = chanceless.v_measure_score(*LABELS, beta=np.float32(0.5))
    assert type(value) is float
    assert value == chanceless.v_measure_score(*LABELS, beta=0.5)


def test_errors_have_one_root():
    for name, kind in {"Labels": ValueError, "Table": ValueError, "Option": ValueError, "Extra": ImportError}.items():
        error = getattr(chanceless, f"{name}Error")
        assert issubclass(error, chanceless.ChancelessError)
        assert issubclass(error, kind)
