"""All commands and options at the end of their page, from the command line itself, as Markdown."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import click
from sphinx.application import Sphinx

from chanceless.cli.app import app as program

PAGE = "reference/command-line"


def render() -> str:
    """Return a section for the program and one for each command."""
    context = click.Context(program, info_name="chanceless", terminal_width=80, **program.context_settings)
    sections = [_section(program, context)]
    for name, command in program.commands.items():
        sections.append(_section(command, click.Context(command, parent=context, info_name=name)))
    return "\n\n".join(sections)


def _section(command: click.Command, context: click.Context) -> str:
    """Return the usage, the description and the options of a command."""
    usage = command.get_usage(context).removeprefix("Usage: ").replace("\n" + " " * len("Usage: "), "\n")
    lines = [f"### {context.command_path}", f"```text\n{usage}\n```", *_description(command.help or "")]
    options = [param for param in command.get_params(context) if isinstance(param, click.Option)]
    table = ["| option | meaning |", "|---|---|", *(_row(option, context) for option in options)]
    return "\n\n".join([*lines, "\n".join(table), *_description(command.epilog or "")])


def _description(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text; click marks those whose lines it keeps apart."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if paragraph.startswith("\b"):
            yield "\n".join(["```text", *paragraph.splitlines()[1:], "```"])
        elif paragraph:
            yield _prose(" ".join(paragraph.split()))


def _row(option: click.Option, context: click.Context) -> str:
    """Return the row of an option: its names and what it takes; what it means, its choices and its default."""
    names = [f"`{name}`" for name in (*option.opts, *option.secondary_opts)]
    choices = isinstance(option.type, click.Choice)
    takes = "" if choices or option.is_flag else f" `{option.make_metavar(context)}`"
    record = option.get_help_record(context)
    meaning = _prose(record[1] if record else "").replace("|", "\\|")
    listed = f" One of {', '.join(f'`{choice}`' for choice in option.type.choices)}." if choices else ""
    return f"| {', '.join(names)}{takes} | {meaning}{listed} |"


def _prose(text: str) -> str:
    """Return a help text as Markdown, with the options that it names as code."""
    escaped = re.sub(r"([\\`*_\[\]<>$])", r"\\\1", " ".join(text.split()))
    return re.sub(r"(?<![\w-])(--[a-z][a-z-]*)", r"`\1`", escaped)


def add_options(_app: Sphinx, page: str, source: list[str]) -> None:
    """Append all options to the page."""
    if page == PAGE:
        source[0] = f"{source[0]}\n{render()}\n"


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect it to Sphinx."""
    app.connect("source-read", add_options)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
