"""How alike are two clusterings, beyond chance?

\b
Examples:
  chanceless demo
  chanceless compare cells.csv cell_type cluster
  chanceless compare truth.txt found.txt --score adjusted_mutual_info
  chanceless clusters cells.csv cell_type cluster --side predicted
  chanceless estimate records.csv person cluster --drawn size
  chanceless matrix runs.parquet --plot runs.png
  chanceless report cells.csv cell_type cluster

Exit codes: 0 done, 1 an error in the data, 2 an error in the command, 3 a score below --fail-under.
"""  # noqa: D301 - the escape is for click: it keeps the lines of a list apart

import glob
import io
import re
import shlex
from importlib import resources
from typing import Any

import click
from click.shell_completion import get_completion_class

import chanceless
from chanceless import files
from chanceless.cli.clusters_command import clusters
from chanceless.cli.command_options import check_written, options, suggest_inputs
from chanceless.cli.compare_command import compare, count_and_compare, parse_inputs
from chanceless.cli.estimate_command import estimate
from chanceless.cli.matrix_command import matrix, read_columns
from chanceless.cli.terminal import DISPLAYED, TYPED, Command, debug_option, print_view, say, working
from chanceless.show.view import View

_COLUMNS = ("cell_type", "cluster")
_PAGE = "demo-report.html"
_LIKE_FAIL_UNDER = re.compile("No such option.*(min|threshold|fail|below|under|least)")
_FEW = 3
"""A file and two columns; with more, the others are compared, too."""
_SHOWN = ("exclude", "on", "unmatched", "missing", "noise", "noise_as", "weight", "where")


class _ReportCommand(Command):
    """Remember what was typed, which the page shows."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.obj = shlex.join(["chanceless", "report", *args])
        return super().parse_args(ctx, args)


@click.command(
    cls=_ReportCommand, together=("--unmatched needs --on",), short_help="Write a page that anybody can open."
)
@click.argument("inputs", nargs=-1, metavar="FILE TRUTH PREDICTED [MORE]... | TABLE...", shell_complete=suggest_inputs)
@options("--output --on --unmatched --average-method --missing --noise --noise-as --weight --where --exclude")
@click.pass_context
def report(ctx: click.Context, /, inputs: tuple[str, ...], **given: Any) -> None:
    """Write a comparison as one HTML page: for a colleague who has a browser, but no Python.

    FILE, TRUTH, PREDICTED and TABLE are as in chanceless compare, and so are two files of labels. The page has one
    sentence that answers, the scores, what split and merged, pictures, caveats, and how it was made. It loads nothing
    from the network. With MORE columns, or a quoted pattern such as 'leiden_*', they are ranked against TRUTH, and all
    pairs and the flow between them follow.

    \b
    Examples:
      chanceless report cells.csv cell_type cluster
      chanceless report cells.parquet cell_type leiden --output leiden.html
      chanceless report obs.csv cell_type 'leiden_*' kmeans
      chanceless report truth.txt found.txt
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    from chanceless.report import HEADLINES, Origin, check_path, write_report  # noqa: PLC0415 - slow to import

    check_path(given["output"], "output")  # before anything is read
    check_written(given, inputs[:2])
    result: object
    are_several = len(inputs) > _FEW or (len(inputs) == _FEW and glob.has_magic(inputs[-1]))
    if are_several and not given["on"]:
        if given["weight"] is not None:
            raise click.UsageError("--weight is for a truth and one prediction; leave it out, or the other columns.")
        file, truth, *others = inputs
        read = read_columns((file, *others), {**given, "reference": truth})
        files = [file]
        chosen: dict[str, Any] = {"average_method": given["average_method"], **read.policy}
        result = chanceless.compare_to(read.reference, read.labellings, list(HEADLINES), **chosen)
    else:
        named = parse_inputs(inputs, given)
        if given["exclude"]:
            raise click.UsageError("--exclude leaves out columns of a pattern such as 'leiden_*', and there is none.")
        files, result = named.files, count_and_compare(named, given)
    source = " and ".join(DISPLAYED.get(file, file) for file in files)
    shown = {f"--{name.replace('_', '-')}": given[name] for name in _SHOWN}
    with working("Writing"):
        write_report(result, given["output"], Origin(source, shown, ctx.obj, TYPED), "output")
    print_view(View(lines=[f"The report is in {given['output']}: open it in a browser."]))


class _Program(click.Group):
    """Print errors of the command as all others."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            if ctx.invoked_subcommand == "compare" and _LIKE_FAIL_UNDER.match(error.message):
                error = click.UsageError(f"{error.message} Did you mean '--fail-under'?", getattr(error, "ctx", None))
            shown = io.StringIO()
            error.show(shown)
            say(shown.getvalue().rstrip("\n"))
            ctx.exit(error.exit_code)


app = _Program(
    "chanceless",
    [compare, clusters, estimate, matrix, report],
    help=__doc__,
    params=[debug_option()],
    context_settings={"help_option_names": ["-h", "--help"]},
)
click.version_option(chanceless.__version__, "-V", "--version", message="%(prog)s %(version)s")(app)


@app.command(cls=Command)
@click.option("--report", is_flag=True, help=f"Write the report of the example to {_PAGE} instead.")
def demo(report: bool) -> None:
    """Compare an example, to see the output."""
    with resources.as_file(resources.files("chanceless.cli") / "example.csv") as path:
        if report:
            from chanceless.report import Origin, write_report  # noqa: PLC0415 - slow to import

            origin = Origin("the example of chanceless, which is made up", {}, "chanceless demo --report", TYPED)
            write_report(chanceless.Comparison(files.read_table(path, *_COLUMNS), names=_COLUMNS), _PAGE, origin)
            print_view(View(lines=[f"The report of the example is in {_PAGE}: open it in a browser."]))
            return
        command = "compare", str(path), *_COLUMNS
        made_up = "These data are made up: 200 cells, their types, and the clusters of some method."
        print_view(View(lines=[made_up, f"$ chanceless {shlex.join(command)}", ""]))
        app.main(command, standalone_mode=False)
    more = "Try it on a CSV, JSON Lines, Parquet or Arrow file: chanceless compare FILE TRUTH PREDICTED"
    print_view(View(lines=["", more]))


@app.command(cls=Command, short_help="Print a script for completion by the shell.")
@click.argument("shell", metavar="bash|zsh|fish", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print a script that lets a shell complete commands, columns and scores.

    \b
    Put one of these lines where your shell starts:
      ~/.bashrc                   eval "$(chanceless completion bash)"
      ~/.zshrc                    eval "$(chanceless completion zsh)"
      ~/.config/fish/config.fish  chanceless completion fish | source

    Then chanceless compare cells.csv <TAB> lists the columns of cells.csv.
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    if found := get_completion_class(shell):
        click.echo(found(app, {}, "chanceless", "_CHANCELESS_COMPLETE").source())
