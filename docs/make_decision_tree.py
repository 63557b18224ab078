"""Draw the decision tree of docs/explanation/which-score.md, as explanation/which-score.svg."""

import textwrap
from html import escape
from pathlib import Path
from typing import NamedTuple

PICTURE = Path(__file__).resolve().parent / "explanation" / "which-score.svg"


class Step(NamedTuple):
    """A question, what to use if the answer is yes, and the weak point of that."""

    question: str
    scores: tuple[str, ...]
    weakness: str


STEPS = [
    Step(
        "Do you only ask whether chance explains it?",
        ("permutation_test", "standardized_mutual_info"),
        "tells you if, not how much",
    ),
    Step(
        "Do you repeat a number of an older paper?",
        ("normalized_mutual_info", "rand", "fowlkes_mallows", "v_measure"),
        "random labels score above 0",
    ),
    Step(
        "Do you need a distance, to embed or to cluster clusterings?",
        ("variation_of_information",),
        "grows with the number of clusters",
    ),
    Step(
        "Does each predicted cluster stand for one true one, as in classification?",
        ("matching_accuracy",),
        "random labels score above 0; blind to clusters without a match",
    ),
    Step(
        "Are clusters wrong in one direction only: too mixed, or cut in pieces?",
        ("homogeneity", "completeness"),
        "random labels score above 0; read both",
    ),
    Step(
        "Do pairs count, as for linked records, or large clusters most?",
        ("adjusted_rand",),
        "small clusters hardly matter",
    ),
]
DEFAULT = Step("All other cases", ("adjusted_mutual_info",), "the default: comparable across data sets and sizes")
SECOND = Step(
    "A second opinion on the same samples?",
    ("pairwise_adjusted_mutual_info",),
    "depends on the number of samples; one sample in an empty cell counts much",
)

WIDTH, LEFT, RIGHT = 456, 180, 230
"""of the picture, of a question and of an answer; small enough for the screen of a phone"""
GAP = WIDTH - LEFT - RIGHT - 2
LINE, PAD, SPACE = 17, 10, 26
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b2733 }
.score { font: 11.5px ui-monospace, Menlo, "DejaVu Sans Mono", monospace; font-weight: 600; fill: #0b4f80 }
.weak, .way { font-size: 11.5px; fill: #4c5a67 }
.question { fill: #ffffff; stroke: #5b7083 }
.answer { fill: #e3effa; stroke: #9dbcd8 }
.default { fill: #fdf0d0; stroke: #d9a620; stroke-width: 2 }
.line { stroke: #5b7083; fill: none; marker-end: url(#head) }
"""
HEAD = (
    '<marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
    '<path d="M1 1 7 4 1 7" fill="none" stroke="#5b7083"/></marker>'
)


def lines_of(step: Step) -> tuple[list[str], list[str], list[str]]:
    """Return the lines of the question, of the scores, and of the weakness."""
    return textwrap.wrap(step.question, 23), list(step.scores), textwrap.wrap(step.weakness, 34)


def texts(x: float, y: float, lines: list[str], kind: str) -> list[str]:
    """Return one element for each line; the first has its baseline a line below y."""
    return [
        f'<text class="{kind}" x="{x}" y="{y + LINE * (i + 0.8):g}">{escape(t)}</text>' for i, t in enumerate(lines)
    ]


def box(x: float, y: float, width: float, height: float, kind: str) -> str:
    """Return a box with round corners."""
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="8"/>'


def draw_step(step: Step, y: float, kind: str) -> tuple[list[str], float]:
    """Return the elements of a question with its answer at the height y, and the height of both."""
    question, scores, weakness = lines_of(step)
    height = LINE * max(len(question), len(scores) + len(weakness)) + 2 * PAD
    right = WIDTH - RIGHT - 1
    return [
        box(1, y, LEFT, height, "question"),
        *texts(1 + PAD, y + (height - LINE * len(question)) / 2, question, ""),
        box(right, y, RIGHT, height, kind),
        *texts(right + PAD, y + PAD, scores, "score"),
        *texts(right + PAD, y + PAD + LINE * len(scores), weakness, "weak"),
        f'<path class="line" d="M{1 + LEFT} {y + height / 2:g}h{GAP - 2}"/>',
    ], height


def way(x: float, y: float, text: str) -> str:
    """Return the answer to a question, beside its arrow."""
    return f'<text class="way" x="{x:g}" y="{y:g}">{text}</text>'


def draw() -> str:
    """Return the picture."""
    elements: list[str] = []
    y = 1.0
    for step in [*STEPS, DEFAULT, SECOND]:
        drawn, height = draw_step(step, y, "default" if step is DEFAULT else "answer")
        elements += drawn
        if step is not DEFAULT:
            elements.append(way(LEFT + 12, y + height / 2 - 6, "yes"))
        if step is not SECOND:
            elements.append(f'<path class="line" d="M{LEFT / 2} {y + height}v{SPACE - 2}"/>')
            if step is not DEFAULT:
                elements.append(way(LEFT / 2 + 8, y + height + SPACE / 2 + 4, "no"))
        y += height + SPACE
    height = y - SPACE + 1
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -8 {WIDTH + 16} {height + 16:g}" width="{WIDTH + 16}" '
        f'height="{height + 16:g}" role="img" aria-label="Decision tree: which score when">'
    )
    paper = f'<rect x="-8" y="-8" width="{WIDTH + 16}" height="{height + 16:g}" rx="10" fill="#f6f8fa"/>'
    return "\n".join([opening, f"<style>{STYLE}</style><defs>{HEAD}</defs>", paper, *elements, "</svg>\n"])


def table() -> str:
    """Return the same as a table in Markdown: for search, and for people who do not see the picture."""
    rows = [f"| {step.question} | {names(step)} | {step.weakness} |" for step in [*STEPS, DEFAULT, SECOND]]
    return "\n".join(["| question | if yes, use | but |", "|---|---|---|", *rows]) + "\n"


def names(step: Step) -> str:
    """Return the scores as code."""
    return ", ".join(f"`{score}`" for score in step.scores)


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
    print(table())
