"""The script and the tests of docs/how-to/data-ci.md pass and fail as the page says."""

import os
import re
import subprocess
import sys
import sysconfig

import numpy as np
import pytest

from tests.docs.how_to import PAGES, first_block

pytestmark = pytest.mark.slow
SCRIPT = re.search(r"```sh\n(.*?)```", (PAGES / "data-ci.md").read_text(), re.DOTALL)[1]
TRUTH, OTHERS = np.random.default_rng(0).integers(4, size=(2, 1000))
REFERENCE, DRIFTED = (np.where(np.arange(1000) % 10 < tenths, OTHERS, TRUTH) for tenths in (1, 3))
RENAMED = np.array([3, 0, 1, 2])[REFERENCE]
NAMES = [f"s{place}" for place in range(1000)]


def write_table(path, column, labels, names=NAMES):
    rows = [f"{name},{label}\n" for name, label in zip(names, labels, strict=True)]
    path.write_text(f"id,{column}\n" + "".join(rows))


def run(*command):
    """Run a command: its code, and all that it prints."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    ended = subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.posix  # bash
@pytest.mark.parametrize(
    ("new", "names", "code", "said", "tested"),
    [
        (DRIFTED, NAMES, 3, "Failed: adjusted_mutual_info is 0.", "2 failed"),
        pytest.param(RENAMED, NAMES, 0, "", "2 passed", marks=pytest.mark.nightly),
        pytest.param(
            REFERENCE, ["s1000", *NAMES[1:]], 1, "the same identifiers", "have a label", marks=pytest.mark.nightly
        ),
    ],
    ids=["drifted", "renamed and in another order", "other samples"],
)
def test_what_fails(tmp_path, monkeypatch, new, names, code, said, tested):
    """A case takes some 5 s, in which two programs and a pytest start."""
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / "truth.csv", "type", TRUTH)
    write_table(tmp_path / "reference.csv", "cluster", REFERENCE)
    write_table(tmp_path / "new.csv", "cluster", new[::-1], names[::-1])
    (tmp_path / "check_clusters.sh").write_text(SCRIPT, newline="\n")
    (tmp_path / "test_clusters.py").write_text(first_block("data-ci.md"))
    found, told = run("bash", "check_clusters.sh")
    assert (found, said in told) == (code, True)
    assert tested in run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_clusters.py")[1]
