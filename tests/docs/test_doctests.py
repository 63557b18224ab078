"""The examples in the docstrings of the installed package; those in README and docs are run by pytest itself."""

import doctest
import importlib
import pkgutil

import pytest

import chanceless

MODULES = [module.name for module in pkgutil.walk_packages(chanceless.__path__, "chanceless.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0
    assert found.attempted or name not in {"chanceless.scores.information", "chanceless.tables.spectrum"}
