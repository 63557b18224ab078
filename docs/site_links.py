"""Links that Markdown on a git host cannot have: from names in code to the reference, to pages of the top folder."""

import inspect
import os
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.nodes import make_refnode

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
GALLERY = DOCS / "gallery"
# The page of the site that shows a file of the top folder: in the sources, a heading, a link, and what comes below it.
TOP_PAGES = {
    "explanation/architecture": "ARCHITECTURE.md",
    "contributing": "CONTRIBUTING.md",
    "changelog": "CHANGELOG.md",
    "security": "SECURITY.md",
    "code-of-conduct": "CODE_OF_CONDUCT.md",
    "index": "README.md",
}
SOUGHT = {
    "how-to/plots": "Sankey, alluvial, river plot, heat map, heatmap, confusion matrix, clustree",
    "how-to/compare": "confusion matrix, crosstab, purity, Hungarian",
    "how-to/many-clusterings": "similarity matrix, heat map, heatmap, consensus, ensemble, LaTeX",
    "how-to/number-of-clusters": "clustree, elbow, silhouette, resolution",
    "how-to/record-linkage": "B-cubed, deduplication, pair precision, entity resolution, author name disambiguation, "
    "clonotypes, clonal families, BCR, TCR, immune repertoire, immunology, coreference, near-duplicates",
    "how-to/large-data": "Dask, Spark, SQL, BigQuery, PostgreSQL",
    "how-to/labels": "outliers, DBSCAN, NaN, image segmentation, label image, adapted Rand, connectomics, voxels",
    "how-to/data-ci": "stable identifiers, persistent cluster names, relabel, tracking clusters",
    "how-to/cluster-again": "bootstrap, cross-validation",
    "reference/other-names": "adapted Rand, purity, B-cubed, Sankey, alluvial, consensus, confusion matrix, heatmap",
}
"""Words that people type into the search, for pages that may not have them."""
_HOMES = {ROOT / name: page for page, name in TOP_PAGES.items()}
_PICTURE = re.compile(r"<picture>.*?</picture>|<img [^>]*>", re.DOTALL)
_FILE_NAME = re.compile(r"\[[\w/.-]+\.md\](?=\([^)]+\.md[)#])")  # as the text of a link
_LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]+)(#[^)]*)?\)")
_NAME = re.compile(r"(?:chanceless\.)?([A-Za-z_][\w.]*)(?:\(.*\))?", re.DOTALL)
_MODULES = ("chanceless", "chanceless.files", "chanceless.plots")


def read_top_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the source of a page by its file of the top folder; make links to such files links to their pages."""
    file = DOCS / f"{page}.md"
    if page in TOP_PAGES:
        file = ROOT / TOP_PAGES[page]
        app.env.note_dependency(str(file))
        below = source[0].split("\n\n", 2)[2:]
        text = _PICTURE.sub(show_picture, file.read_text(encoding="utf-8"))
        source[0] = "\n".join([text, *below])

    def moved(link: re.Match[str]) -> str:
        target = (file.parent / link[1]).resolve()
        if target in _HOMES:
            target = DOCS / f"{_HOMES[target]}.md"
        elif target.parent == GALLERY:  # sphinx-gallery makes a page of each script, and one of the header
            target = DOCS / "examples" / f"{'index' if target.suffix == '.rst' else target.stem}.rst"
        return f"]({os.path.relpath(target, (DOCS / page).parent)}{link[2] or ''})"

    source[0] = _LINK.sub(moved, _FILE_NAME.sub("[]", source[0]))  # without a text, the title of the page is used


def show_picture(html: re.Match[str]) -> str:
    """Write a picture of HTML as Sphinx knows it; one for light and dark as two, of which the theme shows one."""
    given = dict(re.findall(r'(\w+)="([^"]*)"', html[0]))
    themes = {"srcset": "only-dark", "src": "only-light"} if "srcset" in given else {"src": "floating"}
    return "\n".join(f"![{given['alt']}]({given[name]}){{.{theme}}}" for name, theme in themes.items())


def link_names(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Make public names in inline code links to their pages of the reference."""
    if page == "reference/command-line":  # `compare` is a command there
        return
    objects = app.env.domains["py"].data["objects"]
    for literal in list(doctree.findall(nodes.literal)):
        found = _NAME.fullmatch(literal.astext())
        if not found or isinstance(literal.parent, nodes.reference | nodes.title):
            continue
        targets = [f"{module}.{found[1]}" for module in _MODULES if f"{module}.{found[1]}" in objects]
        if targets and objects[targets[0]].docname != page:
            entry = objects[targets[0]]
            reference = make_refnode(app.builder, page, entry.docname, entry.node_id, literal.deepcopy(), targets[0])
            literal.replace_self(reference)


def add_sought_words(app: Sphinx, doctree: nodes.document) -> None:
    """Let the search find a page by words of other libraries."""
    if words := SOUGHT.get(app.env.docname):
        doctree.append(nodes.meta(name="keywords", content=", ".join(re.findall(r"\w+", words))))


def tidy_examples(_app: Sphinx, doctree: nodes.document) -> None:
    """Remove the empty line at the end of examples, which doctest needs in Markdown; know commands by their prompt."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip("\n")
        block.rawsource, block[:] = text, [nodes.Text(text)]
        if text.startswith("$ "):
            block["language"] = "console"  # the copy button leaves out prompts and output


def hide_signature(_app: Sphinx, kind: str, _name: str, found: Any, *_: Any) -> tuple[str, None] | None:
    """Leave out how to construct a class that users do not construct: its docstring has no parameters."""
    constructed = "Parameters\n" in (inspect.getdoc(found) or "")
    return ("", None) if kind in {"class", "exception"} and not constructed else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect them to Sphinx."""
    app.connect("source-read", read_top_page)
    app.connect("autodoc-process-signature", hide_signature)
    app.connect("doctree-read", add_sought_words)
    app.connect("doctree-read", tidy_examples)
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
