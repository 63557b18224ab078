"""Every message, for Python and for the terminal, is that of messages.txt.

There each call, of Python or of a command, stands above its message; `pytest --update-messages` writes the messages.
"""

import ast
import os
import pickle
import shlex
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

import chanceless
from chanceless.cli.app import app
from chanceless.cli.terminal import TYPED
from chanceless.errors import ChancelessError, Fields, LabelsWarning
from tests.package import message_cases
from tests.package.source import NODES, PACKAGE

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).with_name("messages.txt")
SECTIONS = [section.splitlines()[0] for section in GOLDEN.read_text(encoding="utf-8").split("\n\n")]
CASES = [line for line in SECTIONS if not line.startswith("# ")]
PUBLIC = {name: getattr(chanceless, name) for name in chanceless.__all__}
KINDS = {"ChancelessError", *(kind.__name__ for kind in ChancelessError.__subclasses__()), "LabelsWarning"}

UNREACHED = "tables/frames.py: TableError('have the same rows"
"""The site that no case reaches: it needs data that change between two reads."""


class Site(NamedTuple):
    """A construction of an error or a warning in the source."""

    file: str
    call: ast.Call

    def __str__(self):
        return f"{self.file}: {ast.unparse(self.call)}"


def called(node):
    """Return the name of the function that is called, without the module before it."""
    return getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""


FACTORIES = {
    function.name
    for _, function in NODES
    if isinstance(function, ast.FunctionDef)
    and any(isinstance(node, ast.Return) and called(node.value) in KINDS for node in ast.walk(function))
}
"""Functions that return an error, so that each of their calls is a message of its own."""
SITES = [
    Site(path.relative_to(PACKAGE).as_posix(), node)
    for path, node in NODES
    if called(node) in KINDS | FACTORIES and path.name != "errors.py"
]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """Run every case once, in a folder of its own: the messages, and the places (file, line) that made them.

    It takes 10 s, because every message of the package is made and every one of them is compared.
    """
    messages, places, before = {}, set(), Path.cwd()
    initialise = Fields.__init__

    def record(self, *arguments, **fields):
        caller = sys._getframe(1)
        while caller is not None:
            places.add((caller.f_code.co_filename, caller.f_lineno))
            caller = caller.f_back
        initialise(self, *arguments, **fields)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Fields, "__init__", record)
        for case in CASES:
            os.chdir(tmp_path_factory.mktemp("messages"))
            message_cases.write_files()
            messages[case] = list(run(case))
        os.chdir(before)
    return messages, places


def run(case):
    """Yield what a case prints or raises, then its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", LabelsWarning)
        try:
            if case.startswith("$ chanceless "):
                yield CliRunner().invoke(app, shlex.split(case)[2:], prog_name="chanceless").stderr
            else:
                eval(case.removeprefix(">>> "), PUBLIC | vars(message_cases))
        except Exception as error:
            yield error
    yield from (warning.message for warning in caught if isinstance(warning.message, LabelsWarning))


def rendered(messages):
    """Write the messages of a case: the sentence in Python and, where it differs, at the terminal."""
    for message in messages:
        if isinstance(message, str):
            yield from (f"terminal: {ours(line)}" for line in message.splitlines())
            continue
        yield f"{type(message).__name__}: {ours(str(message))}"
        typed = message.render(TYPED) if isinstance(message, Fields) else str(message)
        if typed != str(message):
            yield f"terminal: {ours(typed)}"


def ours(text):
    """Leave out the words of another library, which change with its version."""
    start, separator, _ = text.partition("an error: ")
    return f"{start}{separator}..." if separator else text


def test_messages(outcome, request):
    """Compare all messages with the golden file."""
    messages = outcome[0]
    for case, found in messages.items():
        assert found, case
        from_us = [isinstance(one, Fields) or one.startswith(("Error: ", "Warning: ")) for one in found]
        assert all(from_us), f"{case}: {found}"
    text = "\n\n".join("\n".join([line, *rendered(messages.get(line, []))]) for line in SECTIONS) + "\n"
    if request.config.getoption("update_messages"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_every_message_has_a_case(outcome):
    places = {(Path(file).resolve(), line) for file, line in outcome[1]}
    unreached = [
        str(site)
        for site in SITES
        if not any(
            ((PACKAGE / site.file).resolve(), line) in places
            for line in range(site.call.lineno, site.call.end_lineno + 1)
        )
    ]
    assert [site for site in unreached if not site.startswith(UNREACHED)] == []
    assert any(site.startswith(UNREACHED) for site in unreached)


def test_messages_are_fields():
    """No finished sentences: `expected` ends without a period, and hints have a field of their own."""
    for site in SITES:
        parts = [*site.call.args, *(keyword.value for keyword in site.call.keywords)]
        written = [getattr(node, "value", None) for part in parts for node in ast.walk(part)]
        texts = [text for text in written if isinstance(text, str)]
        assert not [text for text in texts if text.endswith(".") or "Hint:" in text], site
        if called(site.call) in KINDS and not site.call.keywords:
            assert not any(isinstance(argument, ast.Name) for argument in site.call.args), site


def test_no_message_is_rewritten():
    """Neither regular expressions nor `replace` are applied to a message; wordings render fields instead."""
    messages = {"message", "msg", "error", "caught", "warning", "complaint", "told", "said"}
    for path, node in NODES:
        if called(node) in {"sub", "subn", "replace"}:
            subjects = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            assert not subjects & messages, f"{path}: {ast.unparse(node)}"


def test_errors_show_their_sentence_like_other_exceptions():
    """`repr` and `args` are what logs and other libraries read; notes cross processes."""
    with pytest.raises(chanceless.LabelsError) as caught:
        chanceless.adjusted_rand_score([1, 2], [1])
    error = caught.value
    assert repr(error) == f"LabelsError({str(error)!r})"
    assert error.args == (str(error),)
    error.add_note("in fold 3")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.argument, again.__notes__) == (str(error), error.argument, ["in fold 3"])
