"""_core.pyi is what nanobind's stubgen writes."""

import subprocess
import sys
from pathlib import Path

import pytest


def test_the_stub_is_generated():
    pytest.importorskip("nanobind", minversion="3")  # older ones write the same in another way
    checks = Path(__file__).parents[2] / ".ci" / "core_checks.py"
    done = subprocess.run([sys.executable, checks, "--check-stub"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
