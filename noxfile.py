#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""The project's chores. `nox` runs what a change must pass; `nox -l` lists them all."""

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "venv"
nox.options.reuse_venv = "yes"

PROJECT = nox.project.load_toml("pyproject.toml")
NIGHTLY = ["thorough", "cpp", "cross", "lowest", "scanpy", "wheel"]
"""What `.ci/run` leaves out. .github/workflows/nightly.yml runs it every night and before a release."""


def install(session: nox.Session, *packages: str) -> None:
    """Install the checkout so that edits of Python count at once and only changed C++ is compiled again."""
    pyspark = "setuptools>=70.1"  # what it is built with
    session.install("cmake", "ninja", pyspark, *PROJECT["build-system"]["requires"])
    session.install("--no-build-isolation", "-e", *packages)


def install_linters(session: nox.Session) -> None:
    """Install the tools that .ci/lint calls."""
    session.install(*nox.project.dependency_groups(PROJECT, "lint"))


@nox.session(default=False)
def quick(session: nox.Session) -> None:
    """Run the linters and a fast subset of the tests: the inner loop. Again without installing: nox -R -s quick."""
    install(session, ".[test]")
    install_linters(session)
    session.run("bash", ".ci/lint", external=True)
    session.run("pytest", "--quick", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Run all linters, which .ci/lint lists."""
    install(session, ".[cli]")
    install_linters(session)
    session.run("bash", ".ci/lint", external=True)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests on this Python, those of the examples in the documentation included."""
    install(session, ".[test]")
    session.run("pytest", *session.posargs)


@nox.session(default=False, python=["3.11", "3.12", "3.13", "3.14"])
def pythons(session: nox.Session) -> None:
    """Run the tests on every supported Python."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


@nox.session(default=False, venv_backend="none")
def nightly(session: nox.Session) -> None:
    """Run what is too long for every change: all sessions of the list NIGHTLY."""
    for name in NIGHTLY:
        session.notify(name)


@nox.session(default=False)
def thorough(session: nox.Session) -> None:
    """Run all tests, with all fuzz inputs and 300 examples a property; fail if one is skipped."""
    install(session, ".[test]")
    size = ["--nightly", "--hypothesis-profile=thorough", "--ignore=tests/docs/test_scanpy.py"]
    session.run("pytest", *size, *session.posargs, env={"CHANCELESS_FAIL_ON_SKIP": "1"})


@nox.session(default=False)
def scanpy(session: nox.Session) -> None:
    """Run the page on scanpy, which may need an older pandas than the other tests have."""
    install(session, ".[test]", *nox.project.dependency_groups(PROJECT, "scanpy"))
    session.run("pytest", "-n0", "--nightly", "tests/docs/test_scanpy.py")


@nox.session
def cpp(session: nox.Session) -> None:
    """Run the core's own tests under sanitizers, with GCC and Clang; some builds: nox -s cpp -- address."""
    session.install("cmake", "ninja")
    session.run("bash", ".ci/cpp", *session.posargs, external=True)


@nox.session(default=False)
def cross(session: nox.Session) -> None:
    """Compile the core's own tests for other systems, and run them in emulators; some: nox -s cross -- windows."""
    session.install("cmake", "ninja", "ziglang")
    session.run("bash", ".ci/cross", *session.posargs, external=True)


@nox.session(default=False)
def wheel(session: nox.Session) -> None:
    """Build the sdist and the wheels into dist, and test them without a compiler on every Python at hand."""
    session.install(*nox.project.dependency_groups(PROJECT, "wheel"))
    session.run("python", ".ci/wheel.py", "dist", *session.posargs)


@nox.session(default=False)
def lowest(session: nox.Session) -> None:
    """Run the tests with the lowest declared version of every dependency; those of a wheel: nox -s lowest -- WHEEL."""
    session.install("uv")
    session.run("bash", ".ci/lowest", *session.posargs, external=True)


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Build the site in build/site, and check its links, its completeness and its spelling."""
    install(session, ".[cli,paper]", *nox.project.dependency_groups(PROJECT, "docs"))
    session.run("bash", ".ci/docs", external=True)


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Measure calls, imports and all pairs, beside scikit-learn and numpy."""
    session.install(".", "scikit-learn")
    session.run("python", "benchmarks/calls.py")
    session.run("python", "benchmarks/all_pairs.py")


@nox.session(default=False)
def paper(session: nox.Session) -> None:
    """Run the paper's experiments at full size; the folder of the benchmark suite: nox -s paper -- --data DIR."""
    session.install(".[paper]")
    session.run("python", "-m", "paper", "all", "--output", "paper-results", *session.posargs)


if __name__ == "__main__":
    nox.main()
