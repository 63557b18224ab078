"""Damaged files of every format: an error of ours, or the table that other libraries read; no signal, little memory.

`damaged_files.py` says how files are damaged. To see one again: `damage(FILES[name][1], seed)`.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.fuzz import inputs

pytestmark = [pytest.mark.linux, pytest.mark.slow]
FILES = pytest.importorskip("tests.files.damaged_files").FILES  # which imports what only POSIX has
ROOT = Path(__file__).parents[2]
# DuckDB takes 5 ms for a file, numpy and zipfile 0.5 ms
NUMBERS = {"csv": 160, "tsv": 160, "jsonl": 160, "parquet": 180, "arrow": 260, "stream": 260}
NUMBERS |= {"npy": 1500, "labels": 700, "saved": 1600}
"""How many files of each variant are tried, by the first word of its name."""


def read_damaged(numbers, start):
    """Read the files in another process; return names with seeds, and outcomes, the last one of them a signal."""
    command = [sys.executable, "-m", "tests.files.damaged_files", json.dumps(numbers), str(start)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    lines = ended.stdout.splitlines()
    if ended.returncode:
        lines.append(f"WRONG: ended by {ended.returncode}: {ended.stderr[-500:]}")
    return list(zip(lines[::2], lines[1::2], strict=False))


# each case reads hundreds of files, in a process that imports all formats
@pytest.mark.parametrize(
    "words", [("csv", "tsv", "jsonl"), ("parquet",), ("arrow", "stream"), ("npy", "labels", "saved")], ids="-".join
)
def test_damaged_files(words):
    numbers, found = {}, []
    for name in FILES:
        numbers.update((name, len(inputs(NUMBERS[word]))) for word in words if name.startswith(word))
    while len(found) < sum(numbers.values()):
        ran = read_damaged(numbers, len(found))
        assert ran, "the process does not start"
        found += ran
    wrong = [f"{seed}: {outcome}" for seed, outcome in found if outcome.startswith("WRONG")]
    assert not wrong, "\n".join(wrong)
    counts = Counter((seed.startswith("saved"), outcome) for seed, outcome in found)
    assert counts[False, "refused"]
    assert not counts[True, "another"]  # saved tables have checksums
