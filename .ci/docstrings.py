"""Check the docstring of every public name with numpydoc; list the faults and fail if there are any."""

import inspect
import re
import sys
from collections.abc import Iterator
from functools import cached_property

from numpydoc.validate import validate

MODULES = ["chanceless", "chanceless.files", "chanceless.plots"]
EVERYWHERE = {
    "GL01", "GL02", "GL03", "GL05", "GL06", "GL07", "GL08", "GL09", "GL10",  # layout and sections
    "SS01", "SS02", "SS03", "SS04", "SS05", "SS06",  # one line of summary that starts with a verb
    "PR01", "PR02", "PR03", "PR04", "PR05", "PR06", "PR07", "PR08", "PR09", "PR10",  # parameters
    "RT01", "RT02", "RT03", "RT04", "RT05", "YD01",  # results
    "SA02", "SA03", "SA04",  # See Also
}  # fmt: skip
FUNCTIONS = EVERYWHERE | {"SA01", "EX01"}
CLASSES = EVERYWHERE - {"SS05"} | {"EX01"}  # a class is a thing, not an action
RESULTS = CLASSES - {"PR01"}  # users do not construct them: their attributes are documented
PROPERTIES = EVERYWHERE - {"SS05", "RT01"}
ERRORS = {"GL08", "SS01", "SS02", "SS03", "SS06"}
ELSEWHERE = re.compile(r"\bdocs/|\.md\b")


def public_names() -> Iterator[tuple[str, object, set[str]]]:
    """Yield every public name, its object and its checks."""
    for module in MODULES:
        loaded = __import__(module, fromlist=["__all__"])
        for name in loaded.__all__:
            value = getattr(loaded, name)
            if not inspect.isclass(value):
                yield f"{module}.{name}", value, FUNCTIONS
            elif issubclass(value, BaseException):
                yield f"{module}.{name}", value, ERRORS
            else:
                attributes = "Attributes\n----------" in (inspect.getdoc(value) or "")
                yield f"{module}.{name}", value, RESULTS if attributes else CLASSES
                yield from members(f"{module}.{name}", value)


def is_ours(owner: type) -> bool:
    """Return whether a class is defined in this package."""
    return owner.__module__.partition(".")[0] == "chanceless"


def members(path: str, owner: type) -> Iterator[tuple[str, object, set[str]]]:
    """Yield the public methods and properties of a class, inherited ones too, but not the fields of a tuple."""
    inherited = {name: value for base in reversed(owner.__mro__) if is_ours(base) for name, value in vars(base).items()}
    for name, value in inherited.items():
        if name.startswith("_") or name in getattr(owner, "_fields", ()):
            continue
        if isinstance(value, property | cached_property):
            yield f"{path}.{name}", value, PROPERTIES
        elif callable(value) or isinstance(value, classmethod | staticmethod):
            yield f"{path}.{name}", value, EVERYWHERE


def faults() -> Iterator[str]:
    """Yield a line for each fault."""
    for path, value, checks in public_names():
        returned = {"RT01"} if checks is EVERYWHERE and (inspect.getdoc(value) or "").startswith("Return ") else set()
        for code, message in validate(path)["errors"]:
            if code in checks - returned:
                yield f"{path}: {code} {message}"
        if found := ELSEWHERE.search(inspect.getdoc(value) or ""):
            yield f"{path}: mentions {found[0]!r}, which help() cannot open"
        if "{policy}" in (inspect.getdoc(value) or ""):
            yield f"{path}: needs @documents_policy"


if __name__ == "__main__":
    lines = list(faults())
    print(*lines, sep="\n")
    sys.exit(f"{len(lines)} faults in docstrings." if lines else 0)
