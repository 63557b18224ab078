"""Checks of the core: stages include only stages to their left, and _core.pyi is what nanobind's stubgen writes."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
STAGES = ("base", "numbers", "counting", "terms", "chance", "scores", "certainty", "many", "python")
STUB = ROOT / "src/chanceless/_core.pyi"


def includes_from_the_right():
    """Return each include of a stage by one to its left."""
    found = []
    for path in sorted(path for stage in STAGES for path in (ROOT / "cpp" / stage).iterdir()):
        if path.suffix not in {".hpp", ".cpp"}:
            continue
        own = STAGES.index(path.parent.name)
        for stage, header in re.findall(r'^#include "(\w+)/([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            if stage not in STAGES[: own + 1]:
                found.append(f"{path.relative_to(ROOT)} includes {stage}/{header}")
    return found


def write_stub(place):
    """Write the stub of the installed module."""
    patterns = ROOT / "cpp/python/stub_patterns.txt"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "chanceless._core", "-p", patterns, "-o", place]
    subprocess.run(command, check=True)


def main():
    """Check includes; with --check-stub or --update-stub, compare or write the stub of the installed module."""
    if "--update-stub" in sys.argv:
        return write_stub(STUB)
    faults = includes_from_the_right()
    if "--check-stub" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            write_stub(Path(folder) / "stub.pyi")
            if (Path(folder) / "stub.pyi").read_text(encoding="utf-8") != STUB.read_text(encoding="utf-8"):
                faults.append("_core.pyi is another one: python .ci/core_checks.py --update-stub")
    return "\n".join(faults) or None


if __name__ == "__main__":
    sys.exit(main())
