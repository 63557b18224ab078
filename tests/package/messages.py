"""Assertions on the fields of errors and warnings. Whole sentences are compared in one place, messages.txt.

with raises(LabelsError, argument="labels_true", given="an array of shape (3, 2)", hint=re.compile("column")):
    rand_score([[1, 2]] * 3, [0, 1, 2])
"""

import contextlib
import re

import pytest

from chanceless.errors import PYTHON, LabelsWarning

NAMES = "argument", "expected", "given", "hint", "source"


def fields(error):
    """Return the fields of an error or warning that are set, as text: {"argument": "noise", "given": "'x'"}."""
    rendered = {name: _as_text(getattr(error, name)) for name in NAMES}
    return {name: text for name, text in rendered.items() if text}


def has_fields(error, **wanted):
    """Compare fields: a text (or a tuple with settings) must be equal, a pattern found, None absent."""
    found = fields(error)
    return all(_agrees(found.get(name), field) for name, field in wanted.items())


@contextlib.contextmanager
def raises(kind, **wanted):
    """Expect an error of this kind with these fields; gives what `pytest.raises` gives."""
    with pytest.raises(kind) as caught:
        yield caught
    assert has_fields(caught.value, **wanted), f"{fields(caught.value)} is not {wanted}"


@contextlib.contextmanager
def warns(kind=LabelsWarning, **wanted):
    """Expect a warning of this kind with these fields; gives what `pytest.warns` gives."""
    with pytest.warns(kind) as caught:
        yield caught
    found = [warning.message for warning in caught if isinstance(warning.message, kind)]
    assert any(has_fields(message, **wanted) for message in found), f"none of {[*map(fields, found)]} is {wanted}"


def _as_text(field):
    if field is None:
        return None
    return PYTHON.text(field) if type(field) in (str, tuple) else str(field)


def _agrees(found, wanted):
    if isinstance(wanted, re.Pattern):
        return found is not None and wanted.search(found) is not None
    return found == (_as_text(wanted) or None)
