"""What a shell may complete: files, columns of the file that is named, and scores."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from chanceless.errors import ChancelessError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click


def suggest_inputs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """A file, and the columns of a table if it is one; else another file."""
    from chanceless.files import is_table  # noqa: PLC0415 - only where a shell asks

    given = ctx.params.get(param.name or "") or ()
    return suggest_columns(ctx, param, incomplete) if given and is_table(given[0]) else suggest_files(incomplete)


def suggest_files(incomplete: str) -> list[CompletionItem]:
    """Leave it to the shell."""
    return [CompletionItem(incomplete, type="file")]


def suggest_columns(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The columns of the file that the command line names first."""
    from chanceless.files import column_names  # noqa: PLC0415 - only where a shell asks

    # click leaves arguments aside where the last option waits for its value
    given = ctx.params.get("inputs") or ctx.args
    try:
        return _starting(incomplete, column_names(given[0])) if given else []
    except ChancelessError:  # there is nobody to tell
        return []


def suggest_scores(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of all scores, with what they mean."""
    from chanceless.catalog import BY_NAME  # noqa: PLC0415 - only where a shell asks

    return [CompletionItem(name, help=BY_NAME[name].meaning) for name in BY_NAME if name.startswith(incomplete)]


def _starting(incomplete: str, names: Iterable[str]) -> list[CompletionItem]:
    found = [name for name in names if name.startswith(incomplete) and name.isprintable()]
    # bash puts a word on the line as it is; other shells quote it themselves
    in_bash = os.environ.get("_CHANCELESS_COMPLETE", "").startswith("bash")
    return [CompletionItem(shlex.quote(name) if in_bash else name) for name in found]
