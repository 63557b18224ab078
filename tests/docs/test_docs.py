"""README and docs: links and names exist, something runs every block, and something draws every picture."""

import pkgutil
import re
import tomllib

import pytest

import chanceless
from chanceless import files, plots
from tests.docs.fences import FENCES, NAMES, PAGES, ROOT, SCRIPTS, outside

TEXTS = {page: page.read_text(encoding="utf-8") for page in PAGES}


def anchors(page):
    """Return the anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere_and_code_is_fenced(page):
    """Blocks without a fence have no language, and nothing runs them."""
    links = re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", TEXTS[page])
    targets = [(page.parent / link if link else page, anchor) for link, anchor in links]
    assert [target for target, _ in targets if not target.exists()] == []
    assert [anchor for target, anchor in targets if anchor and anchor not in anchors(target)] == []
    assert re.findall(r"\n\n(    \S.*)", outside(page)) == []


def exists(name):
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return name == "chanceless.files.orc_format"  # which CONTRIBUTING.md makes
    return True


def test_names_exist():
    for page, text in TEXTS.items():
        names = set(re.findall(r"\bchanceless(?:\.[a-z_]\w*)+", re.sub(r"\S*/\S*", "", text)))
        assert [name for name in names if not exists(name)] == [], page


def test_the_reference_lists_every_public_name():
    """Sphinx makes a page for each of them; docs/check_site.py sees that it did."""
    lists = r"currentmodule:: (\S+)\n\n\.\. autosummary::\n(?:   :.*\n)+\n((?:   \w+\n)+)"
    listed = [
        f"{module}.{name}"
        for page in (ROOT / "docs" / "reference").glob("*.md")
        for module, names in re.findall(lists, TEXTS[page])
        for name in names.split()
    ]
    public = [f"{module.__name__}.{name}" for module in (chanceless, files, plots) for name in module.__all__]
    assert sorted(listed) == sorted([*public, "chanceless.tables.spectrum.Terms"])


# The page says of the files for CI services that these did not run them; the script in them is run.
RUN_ELSEWHERE = """
README.md | pip install ".[cli,plots]" && chanceless demo | .ci/run | run_readme 'chanceless demo'
README.md | pip install ".[test]" && pytest | .ci/run | run_readme 'pytest'
CONTRIBUTING.md | python -m venv .venv && . .venv/bin/activate | noxfile.py | "--no-build-isolation", "-e"
CONTRIBUTING.md | nw.Implementation.IBIS: Engine( | tests/docs/test_contributing.py | Add an engine
CONTRIBUTING.md | PSV = Format( | tests/docs/test_contributing.py | Add a file format
CONTRIBUTING.md | import pyarrow as pa | tests/docs/test_contributing.py | Add a file format
docs/explanation/peers.md | pip install . scikit-learn | .ci/run | benchmarks/peers.py --quick
docs/explanation/paper.md | pip install ".[paper]" && python -m paper all --data | tests/paper/test_suite.py | "--data"
docs/how-to/data-ci.md | chanceless compare reference.csv | tests/docs/test_data_ci.py | SCRIPT
docs/how-to/data-ci.md | import pandas as pd | tests/docs/test_data_ci.py | first_block("data-ci.md")
docs/how-to/data-ci.md | - run: pip install | tests/docs/test_data_ci.py | check_clusters.sh
docs/how-to/data-ci.md | - repo: local | tests/docs/test_data_ci.py | check_clusters.sh
docs/how-to/large-data.md | import dask.dataframe as dd | tests/tables/test_dask.py | "import dask.dataframe"
docs/how-to/large-data.md | from chanceless import Spectrum, compare | tests/tables/test_spark.py | "spark.read"
docs/how-to/large-data.md | spark-submit spark_job.py | tests/tables/test_spark.py | "spark-submit"
docs/how-to/large-data.md | psql --csv -f spectrum.postgresql.sql | tests/tables/test_postgres.py | "psql"
docs/how-to/large-data.md | import ibis | tests/tables/test_postgres.py | "import ibis"
docs/how-to/files.md | from chanceless import compare | tests/docs/test_how_to.py | blocks("files.md", "python")
docs/how-to/scanpy.md | chanceless compare | tests/docs/test_scanpy.py | for command in COMMANDS
"""
"""Blocks that neither doctest nor tests/cli/test_docs.py runs: page, start, the file that does, and a part of it."""
ELSEWHERE = [line.split(" | ") for line in RUN_ELSEWHERE.strip().splitlines()]


def runs(fence):
    """Return whether Sphinx, doctest, tests/cli/test_docs.py or what is listed runs a block."""
    return (
        fence.language.startswith("{")
        or fence.language in {"text", "bibtex"}  # a drawing, a citation
        or (fence.language == "python" and fence.text.startswith(">>> "))
        or (fence.language, fence.text[:2]) == ("", "$ ")
        or fence in SCRIPTS
        or (fence.language == "sh" and re.fullmatch(r"(pip install [^&|\n]*\n)+", fence.text))
        or any(fence.page == page and fence.text.startswith(start) for page, start, _, _ in ELSEWHERE)
    )


def test_something_runs_every_block():
    """Write a block as a doctest or as commands of chanceless, or list it above with its test."""
    assert [f"{fence.page}: {fence.first_line}" for fence in FENCES if not runs(fence)] == []
    for page, start, file, part in ELSEWHERE:
        assert any(fence.page == page and fence.text.startswith(start) for fence in FENCES), start
        assert part in (ROOT / file).read_text(encoding="utf-8"), file


WIDTH = 88
"""of code beside both columns of the site, in a window of 1,280 pixels"""


def test_code_fits_its_box():
    """doctest does not mind where a long line of output is wrapped; ARCHITECTURE.md has drawings."""
    fences = [fence for fence in FENCES if fence.language != "text"]
    lines = [(fence.page, line) for fence in fences for line in fence.text.splitlines()]
    assert [f"{page}: {line}" for page, line in lines if len(line) > WIDTH] == []


def test_what_pip_installs_exists():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    parts = re.findall(r'"(?:chanceless|\.)\[([\w,]+)\]"', "\n".join(TEXTS.values()))
    assert {extra for part in parts for extra in part.split(",")} <= extras.keys()
    assert parts


DRAWN_BY = {
    "docs/_static/": "docs/make_pictures.py",
    "docs/explanation/paper/": "paper/results.py",
    "docs/explanation/peers.svg": "benchmarks/peers.py",
    "docs/explanation/which-score.svg": "docs/make_decision_tree.py",
    "docs/how-to/report/": "docs/make_screenshot.py",
}
"""Pictures that no example of a page draws, and the program that does."""


def pictures(pattern):
    return {(page.parent / path).resolve() for page, text in TEXTS.items() for path in re.findall(pattern, text)}


def test_something_draws_every_picture():
    shown = pictures(r"!\[[^\]]*\]\(([^)]+)\)") | pictures(r'\bsrc(?:set)?="([^"]+)"')
    shown -= pictures(r'savefig\("([^"]+)"')
    assert all((ROOT / program).exists() for program in DRAWN_BY.values())
    names = [path.relative_to(ROOT).as_posix() for path in shown]
    assert [name for name in names if not name.startswith(tuple(DRAWN_BY))] == []
