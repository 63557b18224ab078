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
    environment = {**os.environ, "PATH": PATH}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def run_script(folder):
    return run(folder, "bash", "check_clusters.sh")


def run_tests(folder):
    return run(folder, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_clusters.py")


def test_renamed_clusters_in_another_order_pass(project):
    folder = project(RENAMED[project.reference])
    assert run_script(folder).returncode == 0
    assert "2 passed" in run_tests(folder).stdout


def test_drift_fails(project):
    folder = project(project.drifted)
    script = run_script(folder)
    assert script.returncode == 1
    assert "the clusters have drifted: AMI 0." in script.stderr
    tests = run_tests(folder).stdout
    assert "2 failed" in tests
    assert "largest disagreement first" in tests
    assert "95 % interval" in tests


def test_other_samples_fail(project):
    folder = project(project.reference)
    (folder / "new.csv").write_text((folder / "new.csv").read_text().replace("s999,", "s1000,"))
    script = run_script(folder)
    assert script.returncode == 1
    assert "must have the same identifiers" in script.stderr
    assert "must have a label" in run_tests(folder).stdout


def test_a_wrong_option_fails_with_code_2(project):
    folder = project(project.reference)
    (folder / "check_clusters.sh").write_text(SCRIPT.replace("--json", "--jsom"))
    assert run_script(folder).returncode == 2
