"""Files and signals as systems other than Linux have them; each difference is imitated here, where it can be tested."""

import ntpath
import os
import shutil
import subprocess
import sys
from pathlib import PureWindowsPath

import pytest

from chanceless.errors import TableError
from chanceless.files import formats, read_table
from tests.pets import EXPECTED, PETS


def test_a_folder_with_open_files_is_removed_at_the_end(monkeypatch):
    """Windows does not remove files that are open."""
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        with formats.temporary_folder() as folder:
            pass
    assert folder.exists()
    formats._remove_folders()
    assert not folder.exists()
    assert formats._FOLDERS.pop(folder)


def test_files_on_two_drives(write, monkeypatch):
    """Windows has no folder above both."""
    paths = [write(PETS), write(PETS, "more/pets.csv")]
    monkeypatch.setattr(os.path, "commonpath", lambda _: ntpath.commonpath([r"C:\a", r"D:\b"]))
    assert read_table(paths, "animal", "cluster") == EXPECTED + EXPECTED


def test_addresses_and_paths_as_windows_spells_them():
    for name in ("https://example.com/cells.csv", "s3://bucket/cells.csv"):
        with pytest.raises(TableError, match="URL"):
            formats.check_not_url(PureWindowsPath(name), "x")
    for name in (r"C:\cells.csv", "c:/cells.csv", r"\\server\share\cells.csv", "cells.csv"):
        formats.check_not_url(PureWindowsPath(name), "x")


CTRL_BREAK = """
import signal
from chanceless import cli
cli._ENDS[signal.SIGUSR1] = cli._ENDS[signal.SIGINT]
cli._run = lambda: signal.raise_signal(signal.SIGUSR1)
cli.main()
"""


@pytest.mark.posix
def test_another_signal_that_interrupts():
    """Windows has one for Ctrl-Break."""
    ended = subprocess.run([sys.executable, "-c", CTRL_BREAK], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "Interrupted.\n")


@pytest.mark.parametrize(
    ("encoding", "arguments"),
    [("cp1252", ("demo",)), ("ascii", ("matrix", "--help")), ("cp437", ("compare", "t.csv", "猫", "b"))],
)
def test_terminals_that_lack_characters(tmp_path, monkeypatch, encoding, arguments):
    (tmp_path / "t.csv").write_text("猫,b\n白,→\n黒,x\n白,→\n黒,x\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    monkeypatch.setenv("PYTHONUTF8", "1")  # for the names of columns that are given
    ended = subprocess.run([sys.executable, "-m", "chanceless", *arguments], capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ended.stdout.decode(encoding)
