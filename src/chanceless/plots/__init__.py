"""Pictures of comparisons, by matplotlib (extra `plots`)."""

from chanceless.errors import ExtraError

try:
    from chanceless.plots.clusters_plot import plot_clusters
    from chanceless.plots.flow_plots import plot_flow, plot_tree
    from chanceless.plots.heat_plots import contingency_order, plot_contingency, plot_matrix
    from chanceless.plots.many_plots import plot_ranking, plot_stability
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "matplotlib":
        raise
    needs = "chanceless.plots needs matplotlib, which is not installed"
    raise ExtraError(needs, hint='pip install "chanceless[plots]"') from error

__all__ = [
    "contingency_order",
    "plot_clusters",
    "plot_contingency",
    "plot_flow",
    "plot_matrix",
    "plot_ranking",
    "plot_stability",
    "plot_tree",
]
__dir__ = __all__.copy
