"""List what runs where: for every change (`.ci/run`), at night and for a release (`nox -s nightly`), or by hand.

Fail if something runs nowhere: a session of nox, a build of the core's tests, a marker of pytest, or a script of `.ci`.
Fail, too, if nightly.yml has other sessions than the list NIGHTLY of the noxfile.
"""

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
BY_HAND = {
    "session quick": "the inner loop",
    "session nightly": "starts the nightly sessions",
    "session pythons": "the wheels are tested on every Python each night",
    "session bench": "speed is measured, not tested",
    "session paper": "takes hours at full size; tests run it small",
    ".ci/screenshots.py": "pictures to look at",
}
"""What neither runs, with the reason."""


def read(path):
    """Return the text of a file of the project."""
    return (ROOT / path).read_text(encoding="utf-8")


def nox_sessions():
    """Return the sessions of the noxfile with their code, and those that run each night."""
    code = read("noxfile.py")
    tree = ast.parse(code).body
    functions = [node for node in tree if isinstance(node, ast.FunctionDef) and node.decorator_list]
    nightly = next(n.value for n in tree if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "NIGHTLY")
    return {node.name: ast.get_source_segment(code, node) for node in functions}, ast.literal_eval(nightly)


def things():
    """Yield the name of everything that should run, and the text that a script has if it runs it."""
    for marker in tomllib.loads(read("pyproject.toml"))["tool"]["pytest"]["ini_options"]["markers"]:
        name = marker.split(":")[0]
        yield f"marker {name}", "--nightly" if name == "nightly" else "pytest"
    for build in re.findall(r'build STREQUAL "(\w+)"', read("cpp/tests/tests.cmake")):
        yield f"build {build}", rf"(?:TESTS=|set -- .*|\.ci/cpp .*)\b{build}\b"
    for script in sorted((ROOT / ".ci").iterdir()):
        if script.name not in ("run", Path(__file__).name):
            yield f".ci/{script.name}", rf"\.ci/{re.escape(script.name)}\b"


def main():
    """Print the table; return the number of things that run nowhere."""
    sessions, nightly = nox_sessions()
    matrix = re.search(r"session: \[(.*)\]", read(".github/workflows/nightly.yml"))[1].split(", ")
    assert matrix == nightly, f"nightly.yml runs {matrix}, the noxfile {nightly}"
    change = re.sub(r"#.*", "", read(".ci/run")) + read(".ci/lint")
    night = "\n".join(sessions[name] for name in nightly)
    night += "".join(read(path) for path in re.findall(r'"(\.ci/\w+)"', night))
    rows = [(f"session {name}", name in ("lint", "tests", "docs"), name in nightly) for name in sessions]
    rows += [(name, bool(re.search(text, change)), bool(re.search(text, night))) for name, text in things()]
    nowhere = 0
    for name, on_change, at_night in rows:
        places = ", ".join(word for word, runs in (("change", on_change), ("night", at_night)) if runs)
        nowhere += not places and name not in BY_HAND
        print(f"{name:26} {places or 'by hand: ' + BY_HAND.get(name, 'NOWHERE')}")
    return nowhere


if __name__ == "__main__":
    sys.exit(main())
