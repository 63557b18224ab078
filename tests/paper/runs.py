"""A run of an experiment by the command line, and what it leaves."""

import json
import xml.etree.ElementTree as ET

from click.testing import CliRunner

from paper.__main__ import main

FIGURES = {
    "even-sizes": ["even-sizes", "even-sizes-normalised"],
    "random-order": ["random-order"],
    "timing": ["timing", "timing-from-labels"],
    "benchmark-suite": ["benchmark-suite-spearman", "benchmark-suite-seeds", "benchmark-suite-speed-up"],
    "disagreement": ["disagreement-samples", "disagreement-splits", "disagreement-swaps"],
}
N_CLAIMS = {"even-sizes": 6, "random-order": 8, "timing": 4, "benchmark-suite": 2, "disagreement": 4}
VERDICTS = {True: "holds", False: "DOES NOT HOLD", None: "not comparable"}


def run(*arguments, code=0):
    result = CliRunner().invoke(main, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def run_quickly(name, folder, *options):
    """Run the quick version of an experiment: its claims hold, and all files are complete."""
    printed = run(name, "--quick", "--output", folder, *options).stdout
    found = json.loads((folder / f"{name}.json").read_text())
    assert len(found["claims"]) == N_CLAIMS[name]
    assert all(claim["verdict"] == VERDICTS[claim["holds"]] for claim in found["claims"])
    if name != "timing":  # what else the machine does decides that
        assert [claim["claim"] for claim in found["claims"] if claim["holds"] is False] == []
    assert (found["quick"], found["seed"]) == (True, 1)
    assert {"chanceless", "numpy", "scikit-learn"} <= found["versions"].keys()
    report = (folder / f"{name}.md").read_text()
    assert report.splitlines()[0].removeprefix("# ") in printed
    for figure in FIGURES[name]:
        assert f"({figure}.svg)" in report
        assert (folder / f"{figure}.png").read_bytes().startswith(b"\x89PNG")
        assert ET.parse(folder / f"{figure}.svg").getroot().tag.endswith("svg")
    assert not list(folder.rglob("*.part"))
    return printed
