"""The experiments by name, in the order of the paper; each is imported when it runs, because some import a lot."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chanceless.paper.experiment_result import Result, Settings

NAMES = ("even-sizes", "random-order", "timing", "benchmark-suite", "disagreement")


def run_experiment(name: str, settings: "Settings") -> "Result":
    """Run the experiment with this name."""
    result: Result = import_module(f"chanceless.paper.{name.replace('-', '_')}").run(settings)
    return result
