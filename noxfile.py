"""The project's chores. `nox` runs what a change must pass; `nox -l` lists them all."""

import nox

nox.options.sessions = ["lint", "tests", "cpp"]
nox.options.default_venv_backend = "venv"

LINTERS = ["ruff", "mypy", "import-linter", "clang-format", "codespell", "numpydoc"]
TYPED = ["numpy", "narwhals", "duckdb", "click", "rich", "matplotlib"]


@nox.session
def lint(session: nox.Session) -> None:
    """Ruff, mypy, import-linter, numpydoc, clang-format, codespell."""
    session.install(*LINTERS, *TYPED, "-e", ".")
    session.run("bash", ".ci/lint", external=True)


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """All tests, doctests of the code and of the documentation included."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


@nox.session
def cpp(session: nox.Session) -> None:
    """The core's own tests, under address and undefined-behaviour sanitizers."""
    session.install("cmake", "ninja")
    session.run("bash", ".ci/cpp", external=True)


@nox.session
def bench(session: nox.Session) -> None:
    """What calls, imports and all pairs cost, beside scikit-learn and numpy."""
    session.install(".", "scikit-learn")
    session.run("python", "benchmarks/calls.py")
    session.run("python", "benchmarks/all_pairs.py")


@nox.session
def paper(session: nox.Session) -> None:
    """The paper's experiments at full size; give the folder of the benchmark suite: nox -s paper -- --data DIR."""
    session.install(".[paper]")
    session.run("chanceless", "paper", "all", "--output", "paper-results", *session.posargs)
