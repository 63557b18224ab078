"""What a terminal shows: as wide as it is, lines that break between words, names that differ, and colours."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios

import numpy as np
import pytest

from tests.cli.terminal import MAIN, run
from tests.pets import csv_bytes

pytestmark = [pytest.mark.linux, pytest.mark.slow]

STYLE = re.compile(r"\x1b\[[0-9;]*m")
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(6, size=300)
LONG = [f"CD{label}-positive, alpha-beta memory T cell" for label in TRUTH]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Go to a folder with many clusterings; others are the truth with more and more errors, and some noise."""
    monkeypatch.chdir(tmp_path)
    runs = {
        f"{name}_{seed}": np.where(RNG.random(300) < 0.1 * seed, RNG.integers(-1, 9, size=300), TRUTH)
        for name in ("kmeans_of_the_first_components", "kmeans")
        for seed in (1, 3, 5)
    }
    coarse = [f"cluster {label // 4} of several types" for label in TRUTH]
    (tmp_path / "runs.csv").write_bytes(csv_bytes({"type": LONG, **runs, "coarse": coarse}))


def shown(width, *arguments, **variables):
    """Return what a terminal of this width gets, as lines with styles."""
    process, terminal = pty.fork()
    if not process:
        kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
        variables = {**kept, "TERM": "xterm-256color", **variables}
        os.execve(sys.executable, [sys.executable, "-c", MAIN, *arguments], variables)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    found = b""
    try:
        while part := os.read(terminal, 2**16):
            found += part
    except OSError:  # Linux says so at the end
        pass
    os.waitpid(process, 0)
    os.close(terminal)
    text = re.sub(r"(?s)\x1b\[\?25l.*\x1b\[2K", "", found.decode())  # a progress bar, on a busy machine
    return text.replace("\r\n", "\n").splitlines()


COMPARED = "compare", "runs.csv", "type", "coarse"
RANKED = "matrix", "runs.csv", "--reference", "type", "--noise", "-1", "--noise-as", "drop"


def words(lines):
    return " ".join(lines).split()


@pytest.mark.parametrize("width", [60, 80, 120, 160])
def test_comparisons(width):
    lines = [STYLE.sub("", line) for line in shown(width, *COMPARED)]
    assert max(map(len, lines)) <= width
    piped = run(*COMPARED).stdout.splitlines()
    scores = [line.split()[:2] for line in piped if re.match(r"[a-z_]+ +-?[0-9.]+  ", line)]
    assert len(scores) == 15
    assert [line.split()[:2] for line in lines if line.split()[:2] in scores] == scores  # a line each
    start = next(place for place, line in enumerate(lines) if line.startswith("label "))
    names = [line.split("  ")[0] for line in lines[start + 1 : lines.index("", start)] if not line.startswith(" ")]
    assert len(names) == len(set(names)) == 6
    told = words(line[lines[start].index("verdict") :] for line in lines[start + 1 : lines.index("", start)])
    assert told.count("merged") == 6
    assert "largest disagreement first" in " ".join(words(lines))  # a heading breaks between words


@pytest.mark.parametrize("width", [60, 80, 120])
def test_rankings_and_matrices(width):
    lines = [STYLE.sub("", line) for line in shown(width, *RANKED)]
    assert max(map(len, lines)) <= width
    names = [found[1] for line in lines if (found := re.match(r"[1-7] (\S+) ", line))]
    assert len(names) == len(set(names)) == 7
    caveat = words(shown(width, "matrix", "runs.csv"))[-8:]
    assert caveat == ["is", "a", "cluster", "here:", "see", "--noise", "and", "--noise-as."]


def test_colours():
    verdicts = [line for line in shown(100, "compare", "runs.csv", "coarse", "type") if "split into" in line]
    assert len(verdicts) == 2
    assert all("\x1b[33msplit into" in line for line in verdicts)
    assert "\x1b[32mkept as" in "".join(shown(100, "compare", "runs.csv", "type", "kmeans_1"))
    assert shown(100, "compare", "runs.csv", "no", "type")[0].startswith("\x1b[1;31mError:\x1b[0m 'runs.csv' must")
    assert "\x1b[1;33mWarning:\x1b[0m" in "".join(shown(100, "compare", "runs.csv", "type", "kmeans_5"))
    plain = "".join(shown(100, *COMPARED, NO_COLOR="1"))
    assert set(STYLE.findall(plain)) == {"\x1b[1m", "\x1b[0m"}
    assert "\x1b" not in "".join(shown(100, *COMPARED, TERM="dumb"))


@pytest.mark.parametrize(("arguments", "code"), [(("no", "type"), 1), (("type", "coarse", "--missing", "none"), 2)])
def test_long_messages_break_between_words(arguments, code):
    said = run("compare", "runs.csv", *arguments, code=code).stderr
    lines = [STYLE.sub("", line) for line in shown(60, "compare", "runs.csv", *arguments)]
    assert max(map(len, lines)) <= 60
    assert words(lines)[-12:] == said.split()[-12:]
