"""The script and the tests of docs/how-to/data-ci.md pass and fail as the page says."""

import os
import re
import subprocess
import sys
import sysconfig

import numpy as np
import pytest

from tests.docs.how_to import PAGES, first_block

SCRIPT = re.search(r"```sh\n(.*?)```", (PAGES / "data-ci.md").read_text(), re.DOTALL)[1]
pytestmark = pytest.mark.posix  # bash
RENAMED = np.array([3, 0, 1, 2])
PATH = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])


@pytest.fixture
def project(tmp_path):
    """Return a function that writes the files of a project with new clusters."""
    rng = np.random.default_rng(0)
    truth, random = rng.integers(4, size=(2, 1000))
    reference = np.where(rng.random(1000) < 0.1, random, truth)

    def write(new):
        columns = {"truth": ("type", truth), "reference": ("cluster", reference), "new": ("cluster", new)}
        for name, (column, labels) in columns.items():
            rows = [f"s{place},{label}\n" for place, label in enumerate(labels)]
            (tmp_path / f"{name}.csv").write_text(f"id,{column}\n" + "".join(reversed(rows) if name == "new" else rows))
        (tmp_path / "check_clusters.sh").write_text(SCRIPT, newline="\n")
        (tmp_path / "test_clusters.py").write_text(first_block("data-ci.md"))
        return tmp_path

    write.reference, write.drifted = reference, np.where(rng.random(1000) < 0.2, random, reference)
    return write


def run(folder, *command):
    """Run a command in a folder: its code, and all that it prints."""
    environment = {**os.environ, "PATH": PATH}
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    return ended.returncode, ended.stdout + ended.stderr


RUN_SCRIPT = "bash", "check_clusters.sh"
RUN_TESTS = sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_clusters.py"


def test_renamed_clusters_in_another_order_pass(project):
    folder = project(RENAMED[project.reference])
    assert run(folder, *RUN_SCRIPT)[0] == 0
    assert "2 passed" in run(folder, *RUN_TESTS)[1]
    (folder / "check_clusters.sh").write_text(SCRIPT.replace("--json", "--jsom"))
    assert run(folder, *RUN_SCRIPT)[0] == 2  # a wrong option is no drift


def test_drift_fails(project):
    folder = project(project.drifted)
    code, told = run(folder, *RUN_SCRIPT)
    assert code == 1
    assert "the clusters have drifted: AMI 0." in told
    told = run(folder, *RUN_TESTS)[1]
    assert all(part in told for part in ("2 failed", "largest disagreement first", "95 % interval"))


@pytest.mark.nightly
def test_other_samples_fail(project):
    folder = project(project.reference)
    (folder / "new.csv").write_text((folder / "new.csv").read_text().replace("s999,", "s1000,"))
    code, told = run(folder, *RUN_SCRIPT)
    assert code == 1
    assert "must have the same identifiers" in told
    assert "must have a label" in run(folder, *RUN_TESTS)[1]
