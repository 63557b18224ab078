"""`chanceless completion`: print a script for completion in the shell."""

import click
from click.shell_completion import get_completion_class


@click.command(short_help="Print a script for completion by the shell.")
@click.argument("shell", metavar="bash|zsh|fish", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that lets a shell complete commands, columns and scores.

    \b
    Put one of these lines where your shell starts:
      ~/.bashrc                   eval "$(chanceless completion bash)"
      ~/.zshrc                    eval "$(chanceless completion zsh)"
      ~/.config/fish/config.fish  chanceless completion fish | source

    Then chanceless compare cells.csv <TAB> lists the columns of cells.csv.
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    found = get_completion_class(shell)
    if found is None:  # pragma: no cover - click has all three
        msg = f"click knows no completion for {shell}."
        raise click.ClickException(msg)
    root = click.get_current_context().find_root().command
    click.echo(found(root, {}, "chanceless", "_CHANCELESS_COMPLETE").source())
