"""`chanceless estimate`."""

import json

import numpy as np
import pytest

from chanceless import estimate_from_sample
from tests.cli.terminal import run


@pytest.fixture
def records(tmp_path, monkeypatch):
    """One table with all records, and two that share identifiers; returns what Python gives for them."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 60, 200)
    found = np.where(rng.random(200) < 0.2, rng.integers(0, 60, 200), truth).tolist()
    reviewed = [f"p{one}" if one < 30 else None for one in truth]
    rows = list(enumerate(zip(reviewed, found, strict=True)))
    all_rows = "".join(f"{n},{who or ''},{cluster},{0.5 if who else ''}\n" for n, (who, cluster) in rows)
    (tmp_path / "all.csv").write_text(f"id,who,cluster,chance\n{all_rows}")
    (tmp_path / "seen.csv").write_text("id,who\n" + "".join(f"{n},{who}\n" for n, (who, _) in rows if who))
    (tmp_path / "links.csv").write_text("id,cluster\n" + "".join(f"{n},{cluster}\n" for n, (_, cluster) in rows))
    return lambda **options: estimate_from_sample(reviewed, found, **options)


@pytest.mark.parametrize(
    ("typed", "options"),
    [
        (("all.csv", "who", "cluster", "--drawn", "size"), {"drawn": "size"}),
        (("seen.csv", "links.csv", "who", "cluster", "--on", "id", "--drawn", "equal"), {"drawn": "equal"}),
        (("all.csv", "who", "cluster", "--drawn", "chance", "--level", "0.9"), {"drawn": [0.5] * 200, "level": 0.9}),
        (("all.csv", "who", "cluster", "--drawn", "size", "--blocks-only"), {"drawn": "size", "whole": False}),
    ],
)
def test_estimates_are_those_of_python(records, typed, options):
    expected = records(**options)
    assert json.loads(run("estimate", *typed, "--json").stdout) == expected.to_dict()
    lines = run("estimate", *typed).stdout.splitlines()
    n_reviewed = expected.sample.n_reviewed
    assert lines[0].endswith(f": {len(expected.sample.entities)} reviewed entities: {n_reviewed} of 200 records")
    precision = next(line for line in lines if line.startswith("pair_precision")).split()
    assert precision[1:4] == [f"{x:.3f}" for x in (expected["pair_precision"].value, *expected["pair_precision"][:2])]


@pytest.mark.usefixtures("records")
def test_wrong_arguments():
    for typed, code, text in (
        (("all.csv", "who", "cluster"), 2, "Missing option '--drawn'"),
        (("all.csv", "who", "cluster", "--drawn", "sized"), 1, "must have a column 'sized'"),
        (("links.csv", "seen.csv", "cluster", "who", "--on", "id", "--drawn", "size"), 1, "comes first"),
        (("all.csv", "chance", "who", "--drawn", "size"), 1, "have a label for every record"),
        (("a.txt", "b.txt", "--drawn", "size"), 2, "FILE REVIEWED FOUND"),
    ):
        assert text in run("estimate", *typed, code=code).output
