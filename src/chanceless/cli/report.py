"""A comparison for people: what was compared, every score, what became of each cluster, and what to mind."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from chanceless.catalog import GROUPS
from chanceless.cli.inputs import shown
from chanceless.cli.printing import WIDTH, cut, fit, print_line, print_wrapped, widest
from chanceless.cli.wording import as_typed
from chanceless.comparison.explanation import spell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from chanceless.cli.inputs import Inputs
    from chanceless.comparison import Comparison
    from chanceless.comparison.explanation import Cluster, Verdict

_MOST_CLUSTERS = 20
_WIDEST_NAME = 40
_WIDEST_LABEL = 22
_LONGEST_LABEL = 100
_VERDICTS: tuple[Verdict, ...] = ("kept", "split", "merged", "scattered")


def print_comparison(named: Inputs, comparison: Comparison) -> None:
    """Print all of it."""
    _print_title(named)
    _print_sizes(comparison)
    _print_scores(comparison)
    if comparison.n_samples and comparison.table is not None:
        _print_clusters(comparison)
    for warning in comparison.warnings:
        print_line()
        print_wrapped(f"Warning: {as_typed(warning)}")


def _print_title(named: Inputs) -> None:
    if named.file is None:
        names, file = (shown(named.truth), shown(named.predicted)), []
    else:
        names, file = (cut(named.truth, _WIDEST_NAME), cut(named.predicted, _WIDEST_NAME)), [shown(named.file), ": "]
    print_line(*((part, "bold") for part in (*file, names[0], " (truth) and ", names[1], " (predicted)")))


def _print_sizes(comparison: Comparison) -> None:
    dropped = f" ({comparison.n_dropped:,} dropped)" if comparison.n_dropped else ""
    clusters = f"{comparison.n_clusters_true:,} x {comparison.n_clusters_pred:,} clusters"
    print_line(f"{comparison.n_samples:,} samples{dropped}, {clusters}, {comparison.n_cells:,} non-empty cells")
    if comparison.average_method == "none":
        print_line("scores are not divided by a mean of the entropies (--average-method none)")
    elif comparison.average_method != "arithmetic":
        print_line(f"scores are divided by the {comparison.average_method} of the entropies (--average-method)")


def _print_scores(comparison: Comparison) -> None:
    scores = comparison.scores
    values = {score: score.show(scores[score.name]) for group in GROUPS.values() for score in group}
    name_width, value_width = max(len(score.name) for score in values), max(map(len, values.values()))
    for title, group in GROUPS.items():
        print_line()
        print_line((title, "bold"))
        for score in group:
            value = values[score].rjust(value_width)
            print_line(f"{score.name:{name_width}}  ", (value, "bold"), f"  {score.meaning}")


def _print_clusters(comparison: Comparison) -> None:
    """What became of the true clusters, those with the largest disagreement first."""
    clusters = sorted(comparison.explanation.true_clusters, key=lambda cluster: -cluster.disagreement)
    listed, others = clusters[:_MOST_CLUSTERS], clusters[_MOST_CLUSTERS:]
    print_line()
    title = f"true clusters: {_counted(clusters)}"
    print_line((title if len(clusters) == 1 else f"{title}; those that disagree most first", "bold"))
    _print_table(listed)
    if others:
        print_line(f"... and {len(others):,} more: {_counted(others)}; --json lists all")


def _print_table(clusters: Sequence[Cluster]) -> None:
    labels = [spell(cluster.label, _LONGEST_LABEL) for cluster in clusters]
    sizes = [f"{cluster.size:,}" for cluster in clusters]
    label_width = max(widest(labels, _WIDEST_LABEL), len("label"))
    size_width = max(*map(len, sizes), len("size"))
    text_width = WIDTH - label_width - size_width - len("precision") - len("recall") - 4 * 2
    header = fit("label", label_width), fit("size", size_width, ">"), "precision", "recall", "verdict"
    print_line("  ".join(header))
    for cluster, label, size in zip(clusters, labels, sizes, strict=True):
        numbers = f"  {size:>{size_width}}  {cluster.precision:9.3f}  {cluster.recall:6.3f}  "
        print_line(fit(label, label_width), numbers, cut(cluster.text, text_width))


def _counted(clusters: Iterable[Cluster]) -> str:
    """How many there are of each verdict."""
    counts = Counter(cluster.verdict for cluster in clusters)
    return ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in _VERDICTS if counts[verdict])
