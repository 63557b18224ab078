"""The modules of the package and the nodes of their syntax trees, for tests of the source."""

import ast
from pathlib import Path

import chanceless

PACKAGE = Path(chanceless.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
NODES = [(path, node) for path in MODULES for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
