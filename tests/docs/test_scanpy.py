"""The page on scanpy, with a real one: its examples, then its commands on the files that the examples write."""

import doctest
import re
import shlex

import pytest

from tests.cli.terminal import run
from tests.docs.how_to import PAGES

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
PAGE = PAGES / "scanpy.md"
COMMANDS = re.search(r"```sh\n(chanceless .*?)```", PAGE.read_text(), re.DOTALL)[1].splitlines()


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:The 'mode.chained_assignment' option is deprecated:DeprecationWarning")  # anndata
def test_the_page(tmp_path, monkeypatch):
    pytest.importorskip("scanpy")
    pytest.importorskip("igraph")
    monkeypatch.chdir(tmp_path)
    examples = doctest.testfile(str(PAGE), module_relative=False, optionflags=FLAGS)
    assert examples.failed == 0
    for command in COMMANDS:
        program, *arguments = shlex.split(command)
        assert program == "chanceless"
        assert run(*arguments).stdout
