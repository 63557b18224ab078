"""The `chanceless` command: its options, its errors and their exit codes."""

from typing import Any

import click

from chanceless import __version__
from chanceless.cli import INTERRUPTED
from chanceless.cli.compare_command import compare
from chanceless.cli.completion_command import completion
from chanceless.cli.demo_command import demo
from chanceless.cli.matrix_command import matrix
from chanceless.cli.paper_command import paper
from chanceless.cli.report_command import report
from chanceless.cli.terminal import TYPED
from chanceless.errors import ChancelessError, OptionError
from chanceless.render import printable

_DEBUG = "--debug"
_DEBUG_HELP = "Show the traceback of an error."


class _OptionError(click.ClickException):
    """An option with a wrong value."""

    exit_code = 2


class _OneLineErrors(click.Group):
    """Print errors of the library in one line; end without a traceback on Ctrl-C."""

    def invoke(self, ctx: click.Context) -> Any:
        debug = ctx.params["debug"] or _DEBUG in ctx.args
        try:
            return super().invoke(ctx)
        except ChancelessError as error:
            if debug:
                raise
            kind = _OptionError if isinstance(error, OptionError) else click.ClickException
            raise kind(printable(error.render(TYPED))) from error
        except KeyboardInterrupt:
            if debug:
                raise
            click.echo("Interrupted.", err=True)
            ctx.exit(INTERRUPTED)


@click.group(
    cls=_OneLineErrors,
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[click.Option([_DEBUG], is_flag=True, help=_DEBUG_HELP)],
)
@click.version_option(__version__, message="%(prog)s %(version)s")
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


for _command in (compare, matrix, report, demo, paper, completion):
    _command.params.append(click.Option([_DEBUG], is_flag=True, expose_value=False, help=_DEBUG_HELP))
    app.add_command(_command)
