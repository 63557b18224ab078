"""Words for people: options as they are typed, and nothing that a terminal would obey."""

import re

_OPTIONS = ("where", "weight", "score", "average_method", "missing", "noise", "noise_as", "reference")
_VALUE = re.compile(r"\b(average_method|missing|noise|noise_as)=([\"']?)([\w-]+)\2")
_SUBJECT = re.compile(rf"^({'|'.join(_OPTIONS)})(?= (?:is|must|names)\b)")


def as_typed(message: str) -> str:
    """Say of options what the library says of arguments.

    Examples
    --------
    >>> as_typed('Hint: missing="drop" leaves these rows out.')
    'Hint: --missing drop leaves these rows out.'
    >>> as_typed("where must be one condition in SQL.")
    '--where must be one condition in SQL.'
    """
    message = message.replace(" out by where.", " out by --where.").replace(
        "an average_method.", "an --average-method."
    )
    message = _VALUE.sub(lambda found: f"{_option(found[1])} {found[3]}", message)
    return _SUBJECT.sub(lambda found: _option(found[1]), message)


def printable(text: str, encoding: str = "utf-8") -> str:
    """Spell out what a terminal would obey, and what it cannot show."""
    spelled = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    return spelled.encode(encoding, "backslashreplace").decode(encoding)


def _option(argument: str) -> str:
    return f"--{argument.replace('_', '-')}"
