"""README and docs: links and names exist, something runs every block, and something draws every picture."""

import pkgutil
import re
import tomllib

import pytest

import chanceless
from chanceless import files, plots
from tests.docs.fences import FENCES, NAMES, PAGES, ROOT, SCRIPTS, outside

every_page = pytest.mark.parametrize("page", PAGES, ids=NAMES)


def anchors(page):
    """Return the anchors of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_page
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8"))
    targets = [(page.parent / link if link else page, anchor) for link, anchor in links]
    assert [target for target, _ in targets if not target.exists()] == []
    assert [anchor for target, anchor in targets if anchor and anchor not in anchors(target)] == []


@every_page
def test_names_exist(page):
    names = set(re.findall(r"\bchanceless(?:\.[a-z_]\w*)+", re.sub(r"\S*/\S*", "", page.read_text(encoding="utf-8"))))
    made_by_contributing = {"chanceless.files.orc_format"}
    assert [name for name in names - made_by_contributing if not exists(name)] == []


def exists(name):
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_the_reference_lists_every_public_name():
    """Sphinx makes a page for each of them; docs/check_site.py sees that it did."""
    listed = [
        f"{module}.{name}"
        for page in (ROOT / "docs" / "reference").glob("*.md")
        for module, names in re.findall(
            r"currentmodule:: (\S+)\n\n\.\. autosummary::\n(?:   :.*\n)+\n((?:   \w+\n)+)",
            page.read_text(encoding="utf-8"),
        )
        for name in names.split()
    ]
    public = [f"{module.__name__}.{name}" for module in (chanceless, files, plots) for name in module.__all__]
    assert sorted(listed) == sorted([*public, "chanceless.tables.spectrum.Terms"])


RUN_ELSEWHERE = {
    ("README.md", 'pip install ".[cli]" && chanceless demo'): (".ci/run", "run_readme 'chanceless demo'"),
    ("README.md", 'pip install ".[test]" && pytest'): (".ci/run", "run_readme 'pytest'"),
    ("CONTRIBUTING.md", "python -m venv .venv && . .venv/bin/activate"): ("noxfile.py", '"--no-build-isolation", "-e"'),
    ("CONTRIBUTING.md", "nw.Implementation.IBIS: Engine("): ("tests/docs/test_contributing.py", "Add an engine"),
    ("CONTRIBUTING.md", "PSV = Format("): ("tests/docs/test_contributing.py", "Add a file format"),
    ("CONTRIBUTING.md", "import pyarrow as pa\nfrom"): ("tests/docs/test_contributing.py", "Add a file format"),
    ("docs/explanation/peers.md", "pip install . scikit-learn"): (".ci/run", "benchmarks/peers.py --quick"),
    ("docs/explanation/paper.md", 'pip install ".[paper]" && python -m paper all --data'): (
        "tests/paper/test_suite.py",
        '"--data"',
    ),
    ("docs/how-to/dask.md", "import dask.dataframe as dd"): ("tests/tables/test_dask.py", 'first_block("dask.md")'),
    ("docs/how-to/data-ci.md", "set -eu"): ("tests/docs/test_data_ci.py", "run_script"),
    ("docs/how-to/data-ci.md", "import pandas as pd"): ("tests/docs/test_data_ci.py", 'first_block("data-ci.md")'),
    # the page says that these were not run by the programs that they are for; the script in them is run
    ("docs/how-to/data-ci.md", "- run: pip install"): ("tests/docs/test_data_ci.py", "check_clusters.sh"),
    ("docs/how-to/data-ci.md", "- repo: local"): ("tests/docs/test_data_ci.py", "check_clusters.sh"),
    ("docs/how-to/data-ci.md", "stages:"): ("tests/docs/test_data_ci.py", "check_clusters.sh"),
    ("docs/how-to/parquet.md", "from chanceless import compare"): (
        "tests/docs/test_how_to.py",
        'first_block("parquet.md")',
    ),
    ("docs/how-to/scanpy.md", "chanceless compare"): ("tests/docs/test_scanpy.py", "for command in COMMANDS"),
    ("docs/how-to/spark.md", "from chanceless import Spectrum, compare"): (
        "tests/tables/test_spark.py",
        'blocks("spark.md"',
    ),
    ("docs/how-to/spark.md", "Spectrum.from_frame(cells"): ("tests/tables/test_spark.py", 'blocks("spark.md"'),
    ("docs/how-to/spark.md", "spark-submit spark_job.py"): ("tests/tables/test_spark.py", 'blocks("spark.md", "sh")'),
    # the same query as that of DuckDB; the page says on which PostgreSQL it was run by hand
    ("docs/how-to/sql.md", "psql --csv -f spectrum.postgresql.sql"): (
        "tests/docs/test_how_to.py",
        "test_dialects_differ",
    ),
}
"""Blocks that neither doctest nor tests/cli/test_docs.py runs: the file that does, and a part of it."""


def runner(fence):
    """Return what runs a block, or None."""
    if fence.language.startswith("{"):
        return "Sphinx"
    if fence.language == "python" and fence.text.startswith(">>> "):
        return "doctest"
    if (fence.language, fence.text[:2]) == ("", "$ ") or fence in SCRIPTS:
        return "tests/cli/test_docs.py"
    if fence.language == "sh" and re.fullmatch(r"(pip install [^&|\n]*\n)+", fence.text):
        return "test_what_pip_installs_exists"
    if fence.language == "text":
        return "nothing: a drawing"
    starts = [start for page, start in RUN_ELSEWHERE if page == fence.page and fence.text.startswith(start)]
    return RUN_ELSEWHERE[fence.page, starts[0]] if starts else None


@pytest.mark.parametrize("fence", FENCES, ids=[f"{fence.page}: {fence.first_line[:40]}" for fence in FENCES])
def test_something_runs_every_block(fence):
    assert runner(fence), "write it as a doctest or as commands of chanceless, or add it to RUN_ELSEWHERE with its test"


def test_what_runs_elsewhere_is_there():
    for (page, start), (file, part) in RUN_ELSEWHERE.items():
        assert any(fence.page == page and fence.text.startswith(start) for fence in FENCES), start
        assert part in (ROOT / file).read_text(encoding="utf-8"), file


@every_page
def test_code_is_fenced(page):
    """Blocks without a fence have no language, and nothing runs them."""
    assert re.findall(r"\n\n(    \S.*)", outside(page)) == []


def test_what_pip_installs_exists():
    extras = set(
        tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    )
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = {extra for part in re.findall(r'"(?:chanceless|\.)\[([\w,]+)\]"', text) for extra in part.split(",")}
    assert named
    assert named <= extras


DRAWN_BY = {
    "docs/explanation/paper/": "paper/results.py",
    "docs/explanation/peers.svg": "benchmarks/peers.py",
    "docs/explanation/which-score.svg": "docs/make_decision_tree.py",
    "docs/how-to/report/": "docs/make_screenshot.py",
}
"""Pictures that no example of a page draws, and the program that does."""


@every_page
def test_something_draws_every_picture(page):
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    saved = {
        (other.parent / picture).resolve()
        for other in PAGES
        for picture in re.findall(r'savefig\("([^"]+)"', other.read_text(encoding="utf-8"))
    }
    for picture in pictures:
        path = (page.parent / picture).resolve()
        drawn = [program for start, program in DRAWN_BY.items() if path.relative_to(ROOT).as_posix().startswith(start)]
        assert path in saved or (drawn and (ROOT / drawn[0]).exists()), picture
