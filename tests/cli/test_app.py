"""The command line as a whole: help, how errors end, and what it imports."""

import subprocess
import sys
from unittest.mock import Mock

import duckdb
import pytest

import chanceless
from chanceless.cli.app import app
from chanceless.cli.terminal import TYPED
from chanceless.errors import LabelsError, OptionError, Setting, Source, TableError
from tests.cli.terminal import MAIN, error, run, run_in_a_process, usage_error

COMMANDS = list(app.commands)


@pytest.fixture
def pets(write, monkeypatch, tmp_path):
    write(b"animal,cluster\ncat,1\ncat,1\ndog,1\n")
    monkeypatch.chdir(tmp_path)
    return "pets.csv"


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_help(command):
    text = run(*command, "--help").stdout
    lines = text.splitlines()
    assert text == run(*command, "-h").stdout
    assert max(map(len, lines)) <= 80
    assert "--debug" in text
    examples = [line.split()[1:] for line in lines if line.strip().startswith("chanceless ")]
    assert len(examples) >= (0 if command in (["demo"], ["completion"]) else 4)
    for name, *arguments in examples:
        known = {name for option in app.commands[name].params for name in option.opts}
        assert {argument for argument in arguments if argument.startswith("--")} <= known


def test_version():
    assert run("--version").stdout == run("-V").stdout == f"chanceless {chanceless.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--version"], {"numpy", "narwhals"}),
        (["--help"], {"numpy", "narwhals"}),
        (["compare", "--help"], {"numpy", "narwhals"}),
        (["completion", "zsh"], {"numpy", "narwhals"}),
        (["compare", "pets.csv", "animal", "cluster"], {"pandas", "polars", "pyarrow", "scipy", "matplotlib"}),
    ],
)
@pytest.mark.usefixtures("pets")
def test_little_is_imported(arguments, unwanted):
    program = f"import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); {MAIN}"
    result = run_in_a_process(program, *arguments)
    assert result.returncode == 0
    loaded = set(result.stderr.split())
    assert "click" in loaded
    by_duckdb = {"pandas", "pyarrow"} if duckdb.__version__ < "2" else set()  # which imports them itself
    assert not loaded & (unwanted - by_duckdb)
    assert ("duckdb" in loaded) == (arguments[-1] == "cluster")
    assert ("rich.console" in loaded) == (arguments[-1] == "cluster")


@pytest.mark.parametrize("absent", ["click", "rich"])
def test_without_the_extra(absent):
    result = run_in_a_process(f"import sys; sys.modules[{absent!r}] = None; {MAIN}", "demo")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == 'chanceless\'s command line needs its extra: pip install "chanceless[cli]"\n'


@pytest.mark.parametrize(("absent", "extra"), [("duckdb", "cli"), ("matplotlib", "plots")])
def test_without_extras(pets, monkeypatch, absent, extra):
    for name in [name for name in sys.modules if name.startswith("chanceless.plots")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, absent, None)
    message = error("compare", pets, "animal", "cluster", "--plot", "x.png")
    assert f'Hint: pip install "chanceless[{extra}]"' in message


PETS = ["pets.csv", "animal", "cluster"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compar"], "No such command 'compar'"),
        (["compare", "--jsn"], "No such option"),
        (["compare", *PETS, "--missing", "ignore"], "Invalid value for '--missing'"),
        (["compare", *PETS, "--plot", "x.jpg"], "'x.jpg' must end in .png, .svg or .pdf"),
        (["completion", "tcsh"], "'tcsh' is not one of 'bash', 'zsh', 'fish'"),
    ],
)
def test_usage_errors(arguments, message):
    assert message in usage_error(*arguments)


def test_exit_codes(pets, monkeypatch):
    assert "'nowhere.csv'" in error("compare", "nowhere.csv", "animal", "cluster", code=1)
    assert error("compare", pets, "animal", "cluster", "--score", "rnd", code=2).startswith("--score must be one of '")
    for raised, code in ((LabelsError("x"), 1), (OptionError("x"), 2)):
        monkeypatch.setattr("chanceless.files.readers.open_tables", Mock(side_effect=raised))
        assert error("compare", pets, "animal", "cluster", code=code) == "x."


def test_debug_shows_the_traceback(pets):
    for arguments in (["--debug", "compare"], ["compare", "--debug"]):
        result = run(*arguments, pets, "x", "cluster", code=1)
        assert isinstance(result.exception, chanceless.TableError)
        assert result.stderr == ""
    result = run_in_a_process(MAIN, "compare", pets, "x", "cluster", "--debug")
    assert result.returncode == 1
    assert result.stderr.startswith("Traceback")
    assert "chanceless.errors.TableError: 'pets.csv' " in result.stderr


def test_a_reader_that_leaves_early():
    command = [sys.executable, "-c", MAIN, "demo"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    process.wait(timeout=60)


CHOICES = Setting("missing", "drop"), " or ", Setting("noise_as", "singletons"), ", ", Setting("noise", -1)
PLACE = Source("'x.csv'", None, "where")
TYPED_AS = [
    (OptionError("be 'a'", argument="average_method", given="'b'"), "--average-method must be 'a', got 'b'."),
    (OptionError("be a condition", argument="where"), "--where must be a condition."),
    (TableError("exist", argument="path"), "FILE must exist."),
    (TableError("be a column", argument="truth"), "TRUTH must be a column."),
    (LabelsError("be sorted", argument="labels_true"), "labels_true must be sorted."),
    (
        LabelsError("have labels", argument="predicted", source=PLACE, hint=CHOICES),
        "column 'where' of 'x.csv' must have labels. Hint: --missing drop or --noise-as singletons, --noise -1.",
    ),
]


@pytest.mark.parametrize(("error", "typed"), TYPED_AS)
def test_options_as_they_are_typed(error, typed):
    assert error.render(TYPED) == typed
