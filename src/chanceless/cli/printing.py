"""A comparison for people: plain lines where the output is piped, the same with emphasis in a terminal."""

from rich.console import Console
from rich.text import Text

from chanceless.catalog import GROUPS, compute_all
from chanceless.contingency import ContingencyTable


def print_comparison(file: str, truth: str, predicted: str, table: ContingencyTable) -> None:
    """Print what was compared, then every score with its meaning."""
    clusters = f"{len(table.row_labels):,} x {len(table.column_labels):,} clusters"
    print_line((f"{file}: {truth} (truth) and {predicted} (predicted)", "bold"))
    print_line(f"{table.n_samples:,} samples, {clusters}, {len(table.counts):,} non-empty cells")
    scores = compute_all(table.spectrum())
    shown = {score: score.show(scores[score.name]) for group in GROUPS.values() for score in group}
    name_width, value_width = max(len(score.name) for score in shown), max(map(len, shown.values()))
    for title, group in GROUPS.items():
        print_line()
        print_line((title, "bold"))
        for score in group:
            value = shown[score].rjust(value_width)
            print_line(f"{score.name:{name_width}}  ", (value, "bold"), f"  {score.meaning}")


def print_line(*parts: str | tuple[str, str]) -> None:
    """Print one line of plain or styled parts, whatever is in them: no markup in file names, no line breaks added."""
    console = Console(highlight=False)
    line = Text(overflow="ignore", no_wrap=True)
    for part in parts:
        text, style = (part, "") if isinstance(part, str) else part
        line.append(_printable(text, console.encoding), style)
    console.print(line, soft_wrap=True)


def _printable(text: str, encoding: str) -> str:
    """Spell out what a terminal would obey, and what it cannot show."""
    spelled = "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
    return spelled.encode(encoding, "backslashreplace").decode(encoding)
