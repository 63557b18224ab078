"""Every message, for Python and for the terminal, is that of messages.txt; `pytest --update-messages` rewrites it."""

import ast
import os
import pickle
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest

import chanceless
from chanceless.cli.terminal import TYPED
from chanceless.errors import ChancelessError, Fields, LabelsWarning
from tests.package.message_cases import CASES, write_files

PACKAGE = Path(chanceless.__file__).parent
GOLDEN = Path(__file__).with_name("messages.txt")
KINDS = {"ChancelessError", *(kind.__name__ for kind in ChancelessError.__subclasses__()), "LabelsWarning"}

UNREACHED = {
    "tables/frames.py: TableError('have the same rows": "needs data that change between two reads",
}
"""Sites that no case reaches, as "module.py: start of the text", with the reason."""


class Site(NamedTuple):
    """A construction of an error or a warning in the source."""

    file: str
    first: int
    last: int
    call: ast.Call

    def __str__(self):
        return f"{self.file}:{self.first} {ast.unparse(self.call)[:100]}"


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name != "errors.py":
            yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def called(node):
    """Return the name of the function that is called, without the module before it."""
    return getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""


MODULES = dict(modules())
FACTORIES = {
    function.name
    for tree in MODULES.values()
    for function in ast.walk(tree)
    if isinstance(function, ast.FunctionDef)
    and any(isinstance(node, ast.Return) and called(node.value) in KINDS for node in ast.walk(function))
}
"""Functions that return an error, so that each of their calls is a message of its own."""

SITES = [
    Site(file, node.lineno, node.end_lineno, node)
    for file, tree in MODULES.items()
    for node in ast.walk(tree)
    if called(node) in KINDS | FACTORIES
]


class Outcome(NamedTuple):
    """What the cases raised or warned, and the places (file, line) where it was constructed."""

    messages: dict
    places: set


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """Run every case once, in a folder of its own."""
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
        for name, case in CASES.items():
            os.chdir(tmp_path_factory.mktemp("messages"))
            write_files()
            messages[name] = list(run(case))
        os.chdir(before)
    return Outcome(messages, places)


def run(case):
    """Yield the warnings of a case, then its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", LabelsWarning)
        try:
            printed = case()
            if isinstance(printed, str):
                yield printed
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
    sections = [[f"[{name}]", *rendered(messages)] for name, messages in outcome.messages.items()]
    text = "\n\n".join("\n".join(lines) for lines in sections) + "\n"
    if request.config.getoption("update_messages"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_a_case_ends_in_a_message_of_ours(outcome, name):
    assert outcome.messages[name]
    for message in outcome.messages[name]:
        assert isinstance(message, Fields) or message.startswith(("Error: ", "Warning: ")), repr(message)


def test_every_message_has_a_case(outcome):
    places = {(Path(file).resolve(), line) for file, line in outcome.places}
    unreached = [
        site
        for site in SITES
        if not any((PACKAGE.resolve() / site.file, line) in places for line in range(site.first, site.last + 1))
    ]
    listed = [str(site) for site in unreached if allowed(site) is None]
    assert not listed, "\n".join(listed)


def allowed(site):
    """Return the reason why no case needs to reach a site."""
    written = ast.unparse(site.call)
    return next((why for start, why in UNREACHED.items() if f"{site.file}: {written}".startswith(start)), None)


def test_the_list_of_sites_without_a_case_is_up_to_date():
    used = [f"{site.file}: {ast.unparse(site.call)}" for site in SITES]
    assert [start for start in UNREACHED if not any(site.startswith(start) for site in used)] == []


def texts(node):
    """Yield the constant texts below a node."""
    yield from (part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str))


@pytest.mark.parametrize("site", SITES, ids=lambda site: f"{site.file}:{site.first}")
def test_messages_are_fields(site):
    """No finished sentences: `expected` ends without a period, and hints have a field of their own."""
    written = [text for part in (*site.call.args, *(k.value for k in site.call.keywords)) for text in texts(part)]
    assert not [text for text in written if text.endswith(".") or "Hint:" in text]
    if called(site.call) in KINDS and not site.call.keywords:
        assert not any(isinstance(argument, ast.Name) for argument in site.call.args)


MESSAGES = {"message", "msg", "error", "caught", "warning", "complaint", "told", "said"}


def test_no_message_is_rewritten():
    """Neither regular expressions nor `replace` are applied to a message; wordings render fields instead."""
    found = []
    for file, tree in MODULES.items():
        for node in ast.walk(tree):
            if called(node) in {"sub", "subn", "replace"}:
                subjects = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
                if subjects & MESSAGES:
                    found.append(f"{file}:{node.lineno} {ast.unparse(node)[:100]}")
    assert found == []


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
