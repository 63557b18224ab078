"""The experiments by name, in the order of the paper; each is imported when it is asked for, since some need a lot."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chanceless.paper.record import Record, Settings

NAMES = ("even-sizes", "random-order", "timing", "benchmark-suite", "disagreement")


def run_experiment(name: str, settings: "Settings") -> "Record":
    """Run the experiment of this name."""
    module = import_module(f"chanceless.paper.{name.replace('-', '_')}")
    record: Record = module.run(settings)
    return record
