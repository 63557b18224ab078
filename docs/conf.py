"""Sphinx builds the site from these pages: `nox -s docs`, or `bash .ci/docs`. Nothing is loaded from the network."""

import contextlib
import inspect
import sys
from importlib.util import find_spec
from pathlib import Path

from numpydoc.xref import DEFAULT_LINKS
from sphinx_gallery.sorting import ExplicitOrder

import chanceless
from chanceless import files, plots

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # our extensions

project = "chanceless"
author = "the chanceless developers"
copyright = f"2026, {author}"  # noqa: A001 - Sphinx calls it so
version = release = chanceless.__version__

extensions = [
    "command_options",
    "myst_parser",
    "numpydoc",
    "site_links",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,  # its page loads scripts from the network
    "show_signature": False,
    "within_subsection_order": ExplicitOrder(["plot_stability.py", "plot_algorithms.py"]),
    "capture_repr": (),
    "min_reported_time": 10**9,  # seconds: never
    "abort_on_example_error": True,
    "parallel": True,
}
with contextlib.suppress(ImportError):  # if the library libenchant-2 is installed
    import enchant  # noqa: F401

    extensions.append("sphinxcontrib.spelling")
spelling_lang = "en_GB"
spelling_ignore_importable_modules = False  # the same words everywhere
spelling_ignore_contributor_names = False
spelling_word_list_filename = "spelling_words.txt"
spelling_filters = ["code_words.CodeWords"]
spelling_exclude_patterns = ["explanation/paper/benchmark-suite*"]  # names of data sets
spelling_warning = True
highlight_language = "none"
root_doc = "index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
templates_path = ["_templates"]
exclude_patterns = ["gallery"]
language = "en"
smartquotes = False  # "--missing" is an option
nitpicky = True
default_role = "code"
python_display_short_literal_types = True
maximum_signature_line_length = 88

myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 4

# The reference: a page for each public name. Types are in the docstrings, not in the signatures.
autosummary_generate = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
DEFAULT_LINKS.clear()  # to the documentation of Python and numpy, which is not at hand offline
numpydoc_xref_ignore = "all"  # only the names below are links
numpydoc_xref_aliases = {
    name: f"{module.__name__}.{name}"
    for module in (chanceless, files, plots)
    for name in module.__all__
    if inspect.isclass(getattr(module, name))
}
FUNCTIONS = [
    f"reference/generated/{module.__name__}.{name}"
    for module in (chanceless, files, plots)
    for name in module.__all__
    if name not in numpydoc_xref_aliases
]

copybutton_prompt_text = r">>> |\.\.\. |\$ "  # copied are the lines after a prompt, without prompt and output
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"  # of commands on several lines

# MathJax as one file without fonts, which browsers do not load from file://
MATHJAX = Path(str(find_spec("sphinx-mathjax-offline").origin)).parent / "static" / "mathjax" / "tex-svg.js"
mathjax_path = MATHJAX.name

html_theme = "pydata_sphinx_theme"
html_title = "chanceless"
html_extra_path = ["404.html"]
html_static_path = ["_static", str(MATHJAX)]
html_css_files = ["site.css"]
html_js_files = ["offline_search.js"]
html_search_scorer = str(HERE / "search_scores.js")
html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "logo": {"image_light": "_static/logo.svg", "image_dark": "_static/logo.svg", "text": "chanceless", "alt_text": ""},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "navigation_depth": 3,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], **{page: [] for page in ("index", *FUNCTIONS)}},
    "back_to_top_button": True,
    "search_as_you_type": False,
}
html_sidebars = {"index": [], "tutorial": [], "changelog": [], "search": []}
html_context = {"default_mode": "auto"}
