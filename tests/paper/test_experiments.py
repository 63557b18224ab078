"""The paper's experiments, in their quick versions: claims that held still hold, and all files are complete.

The full-size results in docs/explanation/paper are tested by test_paper_results.py.
"""

import ast
import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import spearmanr

import chanceless
from chanceless import ContingencyTable
from paper import benchmark_suite, clusterings, disagreement, even_sizes, random_order, timing
from paper.__main__ import EXPERIMENTS, main
from paper.clusterings import spearman
from paper.results import Table, shown
from paper.scoring import full_by_scikit_learn, pairwise_by_textbook, pami, seconds_of
from paper.work import Cache, DataError, compute, write_atomically
from tests import oracles

ROOT = Path(__file__).parents[2]
N_CLAIMS = {"even-sizes": 6, "random-order": 8, "timing": 4, "benchmark-suite": 2, "disagreement": 4}
FIGURES = {
    "even-sizes": ["even-sizes", "even-sizes-normalised"],
    "random-order": ["random-order"],
    "timing": ["timing", "timing-from-labels"],
    "benchmark-suite": ["benchmark-suite-spearman", "benchmark-suite-seeds", "benchmark-suite-speed-up"],
    "disagreement": ["disagreement-samples", "disagreement-splits", "disagreement-swaps"],
}


pytestmark = pytest.mark.slow


def run(*arguments, code=0):
    result = CliRunner().invoke(main, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Run an experiment once: the folder, and what was printed. Two data sets are enough for the claims."""
    folder = tmp_path_factory.mktemp("quick")
    printed = {}

    def run_once(name):
        if name not in printed:
            printed[name] = run(name, "--quick", "--output", folder, "--processes", 2).stdout
        return folder, printed[name]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(benchmark_suite, "BUNDLED", benchmark_suite.BUNDLED[1:3])
        patch.setattr(clusterings, "_ROUNDS", 1)
        patch.setattr(timing, "_QUICK_SIZES", (100, 1000, 10_000))
        yield run_once


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_claims_that_held_hold(quick, name):
    found = json.loads((quick(name)[0] / f"{name}.json").read_text())
    assert len(found["claims"]) == N_CLAIMS[name]
    if name != "timing":  # what else the machine does decides that
        assert [claim["claim"] for claim in found["claims"] if claim["holds"] is False] == []
    assert found["quick"] is True
    assert found["seed"] == 1
    assert {"chanceless", "numpy", "scikit-learn"} <= found["versions"].keys()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_figures_and_report_are_there(quick, name):
    folder, printed = quick(name)
    report = (folder / f"{name}.md").read_text()
    for figure in FIGURES[name]:
        assert f"({figure}.svg)" in report
        assert (folder / f"{figure}.png").read_bytes().startswith(b"\x89PNG")
        assert ET.parse(folder / f"{figure}.svg").getroot().tag.endswith("svg")
    title = report.splitlines()[0].removeprefix("# ")
    assert title in printed
    assert not list(folder.rglob("*.part"))


def test_a_part_of_the_suite_is_not_comparable(quick):
    """The terminal, JSON and Markdown say so, and the command succeeds."""
    folder, printed = quick("benchmark-suite")
    told = json.loads((folder / "benchmark-suite.json").read_text())["claims"]
    assert [(claim["holds"], claim["verdict"]) for claim in told] == [(None, "not comparable")] * 2
    assert sum(line.startswith("  not comparable ") for line in printed.splitlines()) == 2
    assert "DOES NOT HOLD" not in printed
    lines = (folder / "benchmark-suite.md").read_text().splitlines()
    assert sum(line.endswith("| not comparable |") for line in lines) == 2


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_verdicts_are_words_for_what_holds(quick, name):
    words = {True: "holds", False: "DOES NOT HOLD", None: "not comparable"}
    found = json.loads((quick(name)[0] / f"{name}.json").read_text())
    assert all(claim["verdict"] == words[claim["holds"]] for claim in found["claims"])


def test_all_runs_every_experiment(tmp_path, monkeypatch):
    started = []
    result = replace(even_sizes.run(None), figures={})
    for name, module in EXPERIMENTS.items():
        monkeypatch.setattr(module, "run", lambda _settings, name=name: started.append(name) or result)
    run("all", "--quick", "--output", tmp_path)
    assert started == list(N_CLAIMS)


def test_the_command_lists_every_experiment():
    assert set(N_CLAIMS) == set(FIGURES) == set(EXPERIMENTS)
    shown = run("--help").stdout
    assert all(name in shown for name in (*EXPERIMENTS, "all"))


def test_json_is_what_is_written(tmp_path):
    printed = json.loads(run("even-sizes", "--json", "--output", tmp_path).stdout)
    assert printed == json.loads((tmp_path / "even-sizes.json").read_text())


def test_even_sizes_are_the_definitions_values():
    found = even_sizes.similarities()["nats"]
    for size in (1, 3, 10, 33, 50, 100):
        pair = even_sizes.consecutive(10), even_sizes.consecutive(size)
        table = ContingencyTable.from_labels(*pair)
        exact = oracles.nearest(oracles.theorem_1(oracles.cells_of(table)))
        # The same double; where the value is 0, the oracle leaves what 80 digits leave.
        assert found["pairwise"][size - 1] == pytest.approx(exact, rel=0.0, abs=1e-75)
        # scikit-learn's logarithms of factorials are good for some 1e-12 at this size.
        assert found["full"][size - 1] == pytest.approx(full_by_scikit_learn(table.to_dense()), abs=1e-12)


def test_textbook_formula_is_the_theorem():
    generator = np.random.default_rng(5)
    for shape in ((2, 2), (3, 5), (10, 10)):
        dense = generator.integers(0, 9, shape)
        ours = pami(ContingencyTable.from_dense(dense), average_method="none")
        # Plain doubles over k * l cells of order log(n) / n: a few hundred roundings.
        assert pairwise_by_textbook(dense) == pytest.approx(ours, rel=1e-10)


def test_results_do_not_depend_on_the_number_of_processes(quick, tmp_path):
    run("random-order", "--quick", "--output", tmp_path, "--processes", 1)
    together = json.loads((quick("random-order")[0] / "random-order.json").read_text())
    alone = json.loads((tmp_path / "random-order.json").read_text())
    assert alone == together


def test_another_seed_is_another_result(quick, tmp_path):
    run("random-order", "--quick", "--output", tmp_path, "--seed", 2)
    first = json.loads((quick("random-order")[0] / "random-order.json").read_text())
    assert json.loads((tmp_path / "random-order.json").read_text())["numbers"] != first["numbers"]


def test_interrupted_runs_go_on(quick, tmp_path, monkeypatch):
    calls = []

    def counted(*arguments, whole=random_order.precision):
        calls.append(arguments)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(random_order, "precision", counted)
    arguments = ("random-order", "--quick", "--output", tmp_path, "--processes", 1)
    assert "goes on from there" in run(*arguments, code=130).stderr
    assert not (tmp_path / "random-order.json").exists()
    run(*arguments)
    assert len(calls) == 10 + (7 * 8 - 9)
    uninterrupted = quick("random-order")[0] / "random-order.json"
    assert (tmp_path / "random-order.json").read_bytes() == uninterrupted.read_bytes()


def test_a_damaged_file_of_the_cache_is_computed_again(tmp_path):
    cache = Cache(tmp_path, {"seed": 1})
    work = {"one": lambda: [1.5], "two": lambda: [2.5]}
    assert compute("", work, cache, processes=1) == {"one": [1.5], "two": [2.5]}
    calls = {"one": lambda: pytest.fail("cached"), "two": lambda: [2.5], "three": lambda: 3}
    damaged = cache.file("two")
    damaged.write_bytes(damaged.read_bytes()[:-4])
    assert cache.load("two") is None
    assert compute("", calls, cache, processes=1) == {"one": [1.5], "two": [2.5], "three": 3}
    assert cache.load("two") == [2.5]
    assert Cache(tmp_path, {"seed": 2}).load("one") is None


def test_interrupted_writing_leaves_no_file(tmp_path, monkeypatch):
    def interrupted(file, content):
        Path.write_text(file, content.decode()[:2])
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "file", b"whole")
    assert not list(tmp_path.iterdir())


@pytest.mark.posix
def test_ctrl_c_ends_the_command_and_its_processes(tmp_path):
    command = [sys.executable, "-m", "paper", "random-order", "--output", str(tmp_path), "--processes", "2"]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True)
    limit = time.monotonic() + 120
    while len(list(tmp_path.rglob("*.pkl"))) < 3 and time.monotonic() < limit:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert "Traceback" not in told
    assert "goes on from there" in told
    finished = list(tmp_path.rglob("*.pkl"))
    assert 3 <= len(finished) < 700
    assert all(joblib.load(file).keys() == {*random_order.COUNTS} for file in finished)
    assert not list(tmp_path.rglob("*.part"))
    with pytest.raises(ProcessLookupError):
        _wait_for_the_end_of(process.pid)


def _wait_for_the_end_of(group):
    limit = time.monotonic() + 30
    while time.monotonic() < limit:
        os.killpg(group, 0)
        time.sleep(0.05)


def test_an_output_folder_that_cannot_be_is_one_error(tmp_path):
    (tmp_path / "file").write_text("")
    told = run("even-sizes", "--output", tmp_path / "file" / "below", code=1).stderr
    assert told.startswith("Error: ")
    assert "--output must be a writable folder" in told
    with pytest.raises(DataError, match="--output must be a writable folder") as error:
        write_atomically(tmp_path / "file" / "below" / "even-sizes.json", b"")
    assert repr(str(tmp_path / "file" / "below")) in str(error.value)


def test_an_absent_extra_is_told():
    program = "import runpy, sys; sys.modules['joblib'] = None; runpy.run_module('paper', run_name='__main__')"
    command = [sys.executable, "-c", program, "even-sizes"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    told = 'Error: the experiments need a package that is not installed: joblib. Hint: pip install ".[paper]"\n'
    assert found.stderr == told


def test_only_public_names_of_chanceless_are_used():
    modules = [*(ROOT / "paper").glob("*.py")]
    nodes = [node for file in modules for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    imported = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    allowed = {"chanceless", "chanceless.files", "chanceless.plots"}
    assert {name for name in imported if name.partition(".")[0] == "chanceless"} <= allowed
    names = {
        alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module == "chanceless"
        for alias in node.names
    }
    assert names <= {*chanceless.__all__, "__version__"}


def test_scores_look_like_0_or_1_only_if_they_are():
    assert [shown(value, 3) for value in (0.5, 1.0, 0.99999998, -3e-9, -0.0)] == [
        "0.500",
        "1.000",
        "0.99999998",
        "-3e-09",
        "0.000",
    ]


def test_claims_can_fail():
    values = even_sizes.similarities()["nats"]["full"]
    flat = [0.5] * len(values)
    assert [claim.holds for claim in even_sizes.claims("full", flat)] == [False, False, False]
    rows = [
        random_order.summary(
            row,
            {
                f"n={row.n_samples} k={row.n_clusters} repeat={i}": dict.fromkeys(random_order.COUNTS, 0.9)
                for i in (0, 1)
            },
            2,
        )
        for row in random_order.PAPER
    ]
    assert not any(claim.holds for claim in random_order.claims(rows))


def suite_claims(n_high, n_ran, counts, n_drawn):
    """The claims of a run with so many high correlations, and with these counts for the seeds."""
    found = [
        {"spearman": {"nats": 0.99 if place < n_high else 0.5, "normalised": 0.9}, "n_samples": 100, "speed_up": None}
        for place in range(n_ran)
    ]
    spearman = [[0.99 if place < count else 0.5 for count in counts] for place in range(n_drawn)]
    high = {"nats": benchmark_suite.summary(spearman, len(counts))}
    seeds = {"seeds": [*range(len(counts))], "most_samples": 10_000, "high": high, "data_sets": spearman}
    return benchmark_suite.claims(found, seeds)


@pytest.mark.parametrize(
    ("n_high", "n_ran", "verdict"),
    [
        (4, 6, "not comparable"),  # as in the quick version
        (39, 79, "DOES NOT HOLD"),
        (39, 78, "not comparable"),
        (40, 40, "holds"),
        (0, 0, "not comparable"),
    ],
)
def test_a_median_needs_half_of_the_data_sets(n_high, n_ran, verdict):
    assert suite_claims(n_high, n_ran, [1, 2], 6)[0].verdict == verdict


@pytest.mark.parametrize(
    ("counts", "n_drawn", "verdict"),
    [
        ((3, 4), 6, "not comparable"),  # as in the quick version
        # 65 of 79 is 60.06 of 73
        ((60, 60), 73, "DOES NOT HOLD"),
        ((53, 67), 73, "DOES NOT HOLD"),
        ((60, 61), 73, "holds"),
        ((53, 68), 73, "holds"),
        ((61, 61), 61, "holds"),
        ((59, 60), 72, "not comparable"),
        ((58, 59), 72, "DOES NOT HOLD"),
        ((0, 0), 0, "not comparable"),
    ],
)
def test_the_mean_over_seeds_decides(counts, n_drawn, verdict):
    """One run with a high count is not enough, and one with a low count does no harm."""
    for n_high in (0, 79):
        assert suite_claims(n_high, 79, counts, n_drawn)[1].verdict == verdict


def test_seeds_are_summed_up():
    correlations = [[0.96, 0.94], [0.99, None], [0.95, 0.951], [0.2, 0.3]]
    found = benchmark_suite.summary(correlations, 2)
    assert found["counts"] == [2, 1]  # 0.95 is not above 0.95
    assert (found["lowest"], found["highest"], found["mean"], found["share"]) == (1, 2, 1.5, 0.375)
    assert found["deviation"] == pytest.approx(0.5**0.5, rel=1e-15)  # of 2 and 1, by hand; one rounding
    data_sets = [
        {"name": name, "n_samples": 1000, "spearman": {"nats": by_seed, "normalised": [1.0, 0.0]}}
        for name, by_seed in zip("abcd", correlations, strict=True)
    ]
    high = {"nats": found, "normalised": benchmark_suite.summary([[1.0, 0.0]] * 4, 2)}
    seeds = {"seeds": [7, 8], "most_samples": 2000, "high": high, "data_sets": data_sets}
    counted = benchmark_suite.count_table(seeds)
    assert counted.title == "Data sets above 0.95, of the 4 of at most 2,000 samples"
    assert counted.rows == [["7", "2", "4"], ["8", "1", "0"]]
    assert benchmark_suite.change_table(seeds).rows == [
        ["a", "1,000", "1 of 2", "0.940", "0.960"],
        ["b", "1,000", "1 of 2", "0.990", "0.990"],
        ["c", "1,000", "1 of 2", "0.950", "0.951"],
    ]


@pytest.mark.parametrize(("n_samples", "n_clusters"), [(8, 2), (30, 3), (100, 5)])
def test_triplets_count_as_for_the_authors(n_samples, n_clusters):
    """All scores in floating point, as the authors have them; at n = 8 many triplets are tied but for rounding."""
    generator = np.random.default_rng(6)
    count = 0
    for _ in range(200):
        a, b, c = (random_order.random_labels(generator, n_samples, n_clusters) for _ in range(3))
        ab, ac = (ContingencyTable.from_labels(a, other).to_dense() for other in (b, c))
        s1, s2, p1, p2 = *map(full_by_scikit_learn, (ab, ac)), *map(pairwise_by_textbook, (ab, ac))
        count += (s1 > s2) == (p1 > p2)
    found = random_order.precision(n_samples, n_clusters, 200, 6)
    assert found["as_the_authors_count"] == count / 200
    if n_samples == 8:
        assert found["as_the_authors_count"] < found["nats"]


def test_random_labels_follow_their_distribution():
    labels = random_order.random_labels(np.random.default_rng(3), 100_000, 4)
    weights = np.random.default_rng(3).random(4)
    # Shares of 100,000 samples have standard deviations of at most 0.0016: five of them.
    assert np.bincount(labels, minlength=4) / 100_000 == pytest.approx(weights / weights.sum(), abs=0.008)


def test_spearman_is_the_one_of_scipy():
    x, y = np.array([0.1, 0.5, 0.5, 0.9, 0.2]), np.array([0.2, 0.6, 0.1, 0.8, 0.2])
    assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-15)
    assert spearman(x, np.ones(5)) is None
    assert spearman(x[:2], y[:2]) is None


def test_swaps_start_at_the_first_step():
    found = disagreement.swaps(200, seed=4)
    for name in ("split", "noise"):
        each = found[name]
        first = each["mean"][0] - each["mean"][1]
        # One swap changes at most four cells: its fall has a standard deviation below 0.05, over 200 walks 0.0035.
        assert first == pytest.approx(each["first_step"], abs=0.011)
        # The mean of 200 equal numbers, summed in doubles.
        assert each["mean"][0] == pytest.approx(each["mutual_information"], rel=1e-13)


def test_tables_are_markdown():
    assert Table("T", ["a", "b"], [["x|y", "1"]]).markdown() == "## T\n\n| a | b |\n| --- | --- |\n| x\\|y | 1 |\n"
    assert Table("T", ["a"], []).markdown() == "## T\n\nNone.\n"


def test_times_are_those_of_one_call():
    found = seconds_of(lambda: time.sleep(0.01), budget=1.0, rounds=3)
    assert len(found) == 3
    assert min(found) >= 0.01
    assert len(seconds_of(lambda: time.sleep(0.02), budget=0.01, rounds=3)) == 1
