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
from chanceless import OptionError
from tests.package.messages import raises

ROOT = Path(__file__).parents[2]
PUBLIC = [name for name in chanceless.__all__ if name.islower()]


def test_names_are_listed_and_there():
    assert sorted(chanceless.__all__) == chanceless.__all__
    assert all(hasattr(chanceless, name) for name in chanceless.__all__)
    assert chanceless.__version__ == version("chanceless")
    assert (Path(chanceless.__file__).parent / "py.typed").exists()


def test_the_citation_and_the_changelog_have_this_version():
    assert f"\nversion: {chanceless.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {chanceless.__version__} (" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("name", chanceless.__all__)
def test_every_public_name_is_documented(name):
    assert inspect.getdoc(getattr(chanceless, name))


@pytest.mark.parametrize("name", [name for name in PUBLIC if name.endswith("_score")])
def test_every_score_of_labels_has_an_example(name):
    assert ">>>" in inspect.getdoc(getattr(chanceless, name))


def test_run_time_dependencies():
    needed = [requirement for requirement in requires("chanceless") if "extra ==" not in requirement]
    assert sorted(requirement.split(">")[0] for requirement in needed) == ["narwhals", "numpy"]


def test_import_brings_in_nothing_else():
    program = "import sys, chanceless; {}; print(*{{name.split('.')[0] for name in sys.modules}})"
    loaded = _modules_after(program.format("chanceless.compare_all, chanceless.compare"))
    others = {"pandas", "polars", "pyarrow", "scipy", "sklearn", "duckdb", "click", "rich", "mpmath", "matplotlib"}
    assert "numpy" in loaded
    assert not others & set(loaded)
    assert not {"numpy", "narwhals"} & set(_modules_after(program.format("pass")))


def test_no_engine_is_imported_but_that_of_the_frame():
    program = (
        "import sys, polars; from chanceless import Spectrum, compare; "
        "frame = polars.LazyFrame({'a': [1, 2], 'b': [1, 1], 'n': [1, 2]}); "
        "compare(frame, 'a', 'b'); Spectrum.from_frame(frame, 'a', 'b', weight='n', noise=1, noise_as='singletons'); "
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    loaded = _modules_after(program)
    assert "polars" in loaded
    assert not {"pandas", "duckdb", "ibis", "dask", "distributed", "pyspark", "py4j", "scipy"} & set(loaded)


def _modules_after(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


def test_type_checkers_see_the_same_names():
    stub = ast.parse(Path(chanceless.__file__).with_suffix(".pyi").read_text())
    seen = set()
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            names = [name.name for name in node.names]
            seen.update(importlib.import_module(node.module).__all__ if names == ["*"] else names)
    assert seen == {*chanceless.__all__, *chanceless._SUBMODULES}


def test_at_most_fifty_names_and_nothing_else_in_dir():
    assert sorted(dir(chanceless)) == chanceless.__all__
    assert len(chanceless.__all__) <= 50


@pytest.mark.parametrize("name", ["files", "plots"])
def test_submodules_load_on_access(name):
    program = f"import sys, chanceless; print('chanceless.{name}' in sys.modules, chanceless.{name}.__name__)"
    assert _modules_after(program) == ["False", f"chanceless.{name}"]


def test_help_starts_with_what_to_call_first():
    first, second = inspect.getdoc(chanceless).split("\n\n")[:2]
    assert first == "How alike are two clusterings, beyond chance?"
    assert second == "What to call first:"
    assert "    What to call first:" in pydoc.plain(pydoc.render_doc(chanceless)).splitlines()[:8]


def test_the_guide_names_what_exists():
    guide = inspect.getdoc(chanceless).split("\n\n")[2]
    for name in re.findall(r"\w+(?=\()|\w+_score\b", guide):
        assert hasattr(chanceless, name)
    for name in re.findall(r"\bfrom_\w+", guide):
        assert hasattr(chanceless.ContingencyTable, name)


def test_runs_as_a_module():
    command = [sys.executable, "-m", "chanceless", "--version"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == f"chanceless {chanceless.__version__}\n"


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="module 'chanceless' has no attribute 'comparee'"):
        chanceless.comparee  # noqa: B018
    assert set(chanceless.__all__) <= set(dir(chanceless))


@pytest.mark.parametrize("name", ["pairwise_adjusted_mutual_info", "normalized_mutual_info"])
@pytest.mark.parametrize("method", ["arithmetc", "", None, "None", 3, ["min"], np.array(["min", "max"])])
def test_unknown_average_method(name, method):
    valid = "be one of 'arithmetic', 'geometric', 'min', 'max', 'reference', 'none'"
    with raises(OptionError, argument="average_method", expected=valid, given=repr(method)):
        getattr(chanceless, f"{name}_score")([0, 1], [0, 1], average_method=method)
    with raises(OptionError, argument="average_method", expected=valid, given=repr(method)):
        getattr(chanceless, f"{name}_score")(chanceless.Spectrum.from_labels([0, 1], [0, 1]), average_method=method)


@pytest.mark.parametrize("beta", [-1, float("nan"), float("inf"), "1", None, 1j, 10**400, np.array([1, 2])])
def test_bad_beta(beta):
    wanted = {"argument": "beta", "expected": "be a finite number of at least 0", "hint": re.compile("^1 weighs")}
    with raises(OptionError, **wanted):
        chanceless.v_measure_score([0, 1], [0, 1], beta=beta)
    with raises(OptionError, **wanted):
        chanceless.homogeneity_completeness_v_measure([0, 1], [0, 1], beta=beta)
    with raises(OptionError, **wanted):
        chanceless.v_measure_score(chanceless.Spectrum.from_labels([0, 1], [0, 1]), beta=beta)


def test_beta_of_other_types():
    labels = [0, 0, 1, 1, 2], [0, 1, 1, 2, 2]
    value = chanceless.v_measure_score(*labels, beta=np.float32(0.5))
    assert type(value) is float
    assert value == chanceless.v_measure_score(*labels, beta=0.5)


def test_errors_have_one_root():
    for error in (chanceless.LabelsError, chanceless.TableError, chanceless.OptionError):
        assert issubclass(error, chanceless.ChancelessError)
        assert issubclass(error, ValueError)
    assert issubclass(chanceless.ExtraError, chanceless.ChancelessError)
    assert issubclass(chanceless.ExtraError, ImportError)
