"""`chanceless completion`: print a script for completion in the shell."""

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

_SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


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
    root = click.get_current_context().find_root().command
    click.echo(_SHELLS[shell](root, {}, "chanceless", "_CHANCELESS_COMPLETE").source())
