"""The `chanceless` command, its errors and their exit codes; the small commands `demo` and `completion`."""

import shlex
from importlib import resources
from typing import Any

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

import chanceless
from chanceless import files
from chanceless.cli.compare_command import compare
from chanceless.cli.matrix_command import matrix
from chanceless.cli.report_command import COMMAND, report
from chanceless.cli.terminal import TYPED, print_view
from chanceless.errors import ChancelessError, OptionError
from chanceless.show.label_text import printable
from chanceless.show.view import View

_DEBUG = "--debug"
_DEBUG_HELP = "Show the traceback of an error."
_COLUMNS = ("cell_type", "cluster")
_PAGE = "demo-report.html"
_SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


class _OptionError(click.ClickException):
    """An option with a wrong value."""

    exit_code = 2


class _OneLineErrors(click.Group):
    """Print errors of the library in one line, without a traceback; remember what was typed, for reports."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[COMMAND] = shlex.join(["chanceless", *args])
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        debug = ctx.params["debug"] or _DEBUG in ctx.args
        try:
            return super().invoke(ctx)
        except ChancelessError as error:
            if debug:
                raise
            kind = _OptionError if isinstance(error, OptionError) else click.ClickException
            raise kind(printable(error.render(TYPED))) from error


@click.group(
    cls=_OneLineErrors,
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[click.Option([_DEBUG], is_flag=True, help=_DEBUG_HELP)],
)
@click.version_option(chanceless.__version__, message="%(prog)s %(version)s")
def app(debug: bool) -> None:
    """How alike are two clusterings, beyond chance?

    \b
    Examples:
      chanceless demo
      chanceless compare cells.csv cell_type cluster
      chanceless compare truth.txt found.txt --score adjusted_mutual_info
      chanceless matrix runs.parquet --plot runs.png
      chanceless report cells.csv cell_type cluster

    Exit codes: 0 done, 1 an error in the data, 2 an error in the command.
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart


@click.command()
@click.option("--report", is_flag=True, help=f"Write the report of the example to {_PAGE} instead.")
@click.pass_context
def demo(ctx: click.Context, /, report: bool) -> None:
    """Compare an example, to see the output."""
    with resources.as_file(resources.files("chanceless.cli") / "example.csv") as path:
        if report:
            from chanceless.report import Origin, write_report  # noqa: PLC0415 - slow to import

            origin = Origin("the example of chanceless, which is made up", {}, "chanceless demo --report", TYPED)
            write_report(chanceless.Comparison(files.read_table(path, *_COLUMNS), names=_COLUMNS), _PAGE, origin)
            print_view(View(lines=[f"The report of the example is in {_PAGE}: open it in a browser."]))
            return
        inputs = str(path), *_COLUMNS
        made_up = "These data are made up: 200 cells, their types, and the clusters of some method."
        print_view(View(lines=[made_up, f"$ chanceless compare {shlex.join(inputs)}", ""]))
        ctx.invoke(compare, inputs=inputs)
    print_view(
        View(lines=["", "Try it on a CSV, JSON, Parquet or Arrow file: chanceless compare FILE TRUTH PREDICTED"])
    )


@click.command(short_help="Print a script for completion by the shell.")
@click.argument("shell", metavar="bash|zsh|fish", type=click.Choice([*_SHELLS]))
def completion(shell: str) -> None:
    """Print a script that lets a shell complete commands, columns and scores.

    \b
    Put one of these lines where your shell starts:
      ~/.bashrc                   eval "$(chanceless completion bash)"
      ~/.zshrc                    eval "$(chanceless completion zsh)"
      ~/.config/fish/config.fish  chanceless completion fish | source

    Then chanceless compare cells.csv <TAB> lists the columns of cells.csv.
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    click.echo(_SHELLS[shell](app, {}, "chanceless", "_CHANCELESS_COMPLETE").source())


for _command in (compare, matrix, report, demo, completion):
    _command.params.append(click.Option([_DEBUG], is_flag=True, expose_value=False, help=_DEBUG_HELP))
    app.add_command(_command)
