"""The experiments by name, in the order of the paper."""

from collections.abc import Callable
from dataclasses import dataclass

from chanceless.paper import benchmark_suite, disagreement, even_sizes, random_order, timing
from chanceless.paper.record import Record, Settings


@dataclass(frozen=True, slots=True)
class Experiment:
    """What can be run."""

    name: str
    title: str
    run: Callable[[Settings], Record]


EXPERIMENTS = {
    module.NAME: Experiment(module.NAME, module.TITLE, module.run)
    for module in (even_sizes, random_order, timing, benchmark_suite, disagreement)
}
