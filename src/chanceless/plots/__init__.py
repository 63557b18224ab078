"""Pictures of comparisons, by matplotlib (extra `plots`)."""

from chanceless.errors import ExtraError

try:
    from chanceless.plots.clusters import plot_clusters
    from chanceless.plots.contingency import plot_contingency
    from chanceless.plots.flow import plot_flow
    from chanceless.plots.matrix import plot_matrix
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "matplotlib":
        raise
    msg = 'chanceless.plots needs matplotlib, which is not installed. Hint: pip install "chanceless[plots]"'
    raise ExtraError(msg) from error

__all__ = ["plot_clusters", "plot_contingency", "plot_flow", "plot_matrix"]
