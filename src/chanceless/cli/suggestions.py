"""Suggest completions for the shell: files, columns of a file, and scores."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

from chanceless.errors import ChancelessError

if TYPE_CHECKING:
    import click


def suggest_inputs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Suggest a file; after a table, its columns, and after a file of labels, another file.

    After two tables, suggest a column of the first, then one of the second.
    """
    from chanceless.files import is_table  # noqa: PLC0415 - for completion only

    given: tuple[str, ...] = ctx.params.get(param.name or "") or ()
    if ctx.params.get("on") and len(given) == 1:
        return [CompletionItem(incomplete, type="file")]
    if len(given) == 3 and is_table(given[1]):  # noqa: PLR2004
        return _suggest_columns_of(given[1], incomplete)
    if given and is_table(given[0]):
        return suggest_columns(ctx, param, incomplete)
    return [CompletionItem(incomplete, type="file")]


def suggest_columns(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Suggest the columns of the first file of the command line."""
    # click keeps arguments in ctx.args while an option waits for its value
    given = ctx.params.get("inputs") or ctx.args
    return _suggest_columns_of(given[0], incomplete) if given else []


def _suggest_columns_of(file: str, incomplete: str) -> list[CompletionItem]:
    from chanceless.files import column_names  # noqa: PLC0415 - for completion only

    try:
        names = column_names(file)
    except ChancelessError:  # a completion has no error message
        return []
    found = [name for name in names if name.startswith(incomplete) and name.isprintable()]
    # bash does not quote words; other shells do
    in_bash = os.environ.get("_CHANCELESS_COMPLETE", "").startswith("bash")
    return [CompletionItem(shlex.quote(name) if in_bash else name) for name in found]


def suggest_scores(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Suggest the scores, with their meaning."""
    from chanceless.catalog import BY_NAME  # noqa: PLC0415 - for completion only

    return [CompletionItem(name, help=BY_NAME[name].meaning) for name in BY_NAME if name.startswith(incomplete)]
