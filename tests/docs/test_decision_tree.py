"""The decision tree of docs/explanation/which-score.md: picture and page are those of docs/make_decision_tree.py."""

import runpy
from pathlib import Path

import chanceless
from chanceless.catalog import BY_NAME, GROUPS, LINKAGE

DOCS = Path(__file__).parents[2] / "docs"
TREE = runpy.run_path(str(DOCS / "make_decision_tree.py"))
STEPS = [*TREE["STEPS"], TREE["DEFAULT"], TREE["SECOND"]]


def test_the_picture_is_up_to_date():
    assert TREE["PICTURE"].read_text(encoding="utf-8") == TREE["draw"](), "run python docs/make_decision_tree.py"


def test_the_page_has_the_same_as_a_table():
    assert TREE["table"]() in (DOCS / "explanation" / "which-score.md").read_text(encoding="utf-8")


def test_every_normalised_score_is_an_answer():
    answers = {score for step in STEPS for score in step.scores}
    assert all(hasattr(chanceless, score) or hasattr(chanceless, f"{score}_score") for score in answers)
    asked_elsewhere = {"standardized_rand", "mutual_info"}  # beside the information that is; not normalised
    asked_elsewhere |= {score.name for score in GROUPS[LINKAGE]}  # scores of a field, which constraints.md compares
    assert {name for name in BY_NAME if not name.endswith("_nats")} <= answers | asked_elsewhere
