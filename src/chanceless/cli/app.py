"""The `chanceless` command itself: its options, and how errors end."""

from typing import Any

import click

from chanceless import ChancelessError, __version__
from chanceless.cli.compare import compare
from chanceless.cli.demo import demo
from chanceless.cli.paper import paper

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class _OneLineErrors(click.Group):
    """Tell errors of the library in one line; end without a traceback on Ctrl-C."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ChancelessError as error:
            if ctx.params["debug"]:
                raise
            raise click.ClickException(str(error)) from error
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(_INTERRUPTED)


@click.group(
    cls=_OneLineErrors,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: chanceless compare cells.csv cell_type cluster",
)
@click.option("--debug", is_flag=True, help="Show the whole traceback of an error.")
@click.version_option(__version__, message="%(prog)s %(version)s")
def app(debug: bool) -> None:
    """How alike are two clusterings, beyond chance?

    See it on made-up data: chanceless demo
    """


app.add_command(compare)
app.add_command(demo)
app.add_command(paper)
