"""Verdicts in plain words: of random tables, against the rules in docs/how-to/compare.md; the same in every view."""

import json
from collections import Counter

import numpy as np
import pytest

from chanceless import ContingencyTable, compare
from chanceless.comparison.explanation import Explanation
from chanceless.labels.missing_and_noise import NoiseSample
from tests.cli.terminal import run
from tests.comparison.verdict_rules import PRED, TRUE, judged
from tests.pets import csv_bytes
from tests.report.report_pages import ReportPage

SINGLETONS = {"noise": "noise", "noise_as": "singletons"}


def random_table(rng):
    """A table with shares at the thresholds and beside them, small or large, sometimes with noise on either side."""
    shape = rng.integers(1, rng.choice([4, 9, 25]), 2)
    values = [0, 1, 2, 3, 5, 9, 10, 11, 24, 25, 26, 49, 50, 74, 75, 76, 100, 1000]
    counts = rng.choice(values, shape) * (rng.random(shape) < rng.choice([0.2, 0.6, 1.0]))
    rows, columns = np.nonzero(counts)
    truth, found = ([f"{name}{code}" for code in codes] for name, codes in (("a", rows), ("b", columns)))
    weights = counts[rows, columns].tolist()
    for labels, others, name in ((found, truth, "a"), (truth, found, "b")):
        n_noise = int(rng.choice([0, 0, 3, 30]))
        labels.extend(["noise"] * n_noise)
        others.extend(f"{name}{code}" for code in rng.integers(0, 3, n_noise))
        weights += [1] * n_noise
    return ContingencyTable.from_labels(
        truth, found, weight=weights, **(SINGLETONS if "noise" in truth + found else {})
    )


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))])
def test_verdicts_of_random_tables(seed):
    """500 tables each, 10^4 in all: so many that each rule decides hundreds of times, with noise and without."""
    rng, decided = np.random.default_rng(seed), Counter()
    for _ in range(500):
        table = random_table(rng)
        explanation, matrix = Explanation(table), table.to_dense()
        labels = table.row_labels.tolist(), table.column_labels.tolist()
        noise = [{place for place, one in enumerate(side) if isinstance(one, NoiseSample)} for side in labels]
        for clusters, counts, words, places in (
            (explanation.true_clusters, matrix, TRUE, (0, 1)),
            (explanation.pred_clusters, matrix.T, PRED, (1, 0)),
        ):
            about = [noise[place] for place in places], words, *(labels[place] for place in places)
            found = [(one.verdict, list(one.partners), one.text) for one in clusters]
            assert found == [judged(counts.tolist(), i, *about) for i in range(len(counts))]
            decided.update((tuple(words), one.verdict) for one in clusters)
    assert min(decided[tuple(words), verdict] for words in (TRUE, PRED) for verdict in words) > 20


STRAYS = [[90, 10, 0, 0, 0, 0], *([8, 0, *row] for row in (92 * np.eye(4, dtype=int)).tolist())]
BLOCKS = [[50]], [[30, 25]], [[30], [20]], [[60, 20, 20], [10, 70, 200]], [[30] * 3] * 3, [[20]], STRAYS


@pytest.fixture
def every_verdict():
    """Labels of clusters with every verdict: blocks of a table, and noise in some of its rows."""
    truth, found = [], []
    for block in BLOCKS:
        first = len(set(truth)), len(set(found))
        for (row, column), count in np.ndenumerate(np.array(block)):
            truth += [f"a{first[0] + row}"] * int(count)
            found += [f"b{first[1] + column}"] * int(count)
    for code, count in {"a0": 5, "a1": 8, "a5": 7, "a9": 50}.items():
        truth += [code] * count
        found += ["noise"] * count
    return truth, found


def test_all_views_have_the_same_words(every_verdict, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_bytes(csv_bytes(dict(zip("ab", every_verdict, strict=True))))
    comparison = compare(*every_verdict, **SINGLETONS)
    options = "--noise", "noise", "--noise-as", "singletons"
    terminal = run("compare", "table.csv", "a", "b", *options).stdout
    data = json.loads(run("compare", "table.csv", "a", "b", *options, "--json", "--clusters").stdout)["clusters"]
    run("report", "table.csv", "a", "b", *options)
    comparison.report("python.html")
    pages = [ReportPage(tmp_path / name).check() for name in ("report.html", "python.html")]
    for side, words in (("true", TRUE), ("pred", PRED)):
        clusters = getattr(comparison.explanation, f"{side}_clusters")
        assert {one.verdict for one in clusters} == set(words)
        assert [(one["verdict"], one["text"]) for one in data[f"{side}_clusters"]] == [
            (one.verdict, one.text) for one in clusters
        ]
        named = [one for one in clusters if not isinstance(one.label, NoiseSample)]
        lines = {str(one.label): one.text for one in named}
        for page in pages:
            assert {row[0]: row[1] for row in page.table(f"{side}-clusters")} == lines
        printed = {line.split()[0]: line for line in repr(comparison.explanation).splitlines() if line}
        assert sum(printed.get(label, "").endswith(f"  {text}") for label, text in lines.items()) == 10
        if side == "true":
            rows = {line.split()[0]: line for line in terminal.partition("true clusters")[2].splitlines()[1:] if line}
            assert all(rows[label].endswith(f"  {text}") for label, text in lines.items())
