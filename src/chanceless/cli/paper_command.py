"""`chanceless paper`: repeat the experiments of the paper."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chanceless.cli.terminal import TYPED, print_view
from chanceless.errors import ChancelessError, ExtraError
from chanceless.paper.experiments import NAMES, run_experiment
from chanceless.render import View

if TYPE_CHECKING:
    from chanceless.paper.experiment_result import Result, Settings

_ALL = "all"
_EXTRA = ("joblib", "matplotlib", "scipy", "sklearn", "threadpoolctl")


@click.command(
    short_help="Reproduce experiments of the paper.", epilog="Example: chanceless paper random-order --output results"
)
@click.argument("experiment", metavar="EXPERIMENT", type=click.Choice([*NAMES, _ALL]))
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default="paper-results",
    show_default=True,
    help="Folder for results, and for the state from which a later run goes on.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder of the benchmark suite, for benchmark-suite.",
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all random numbers.")
@click.option("--quick", is_flag=True, help="Run a smaller version, in less than a minute.")
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    show_default="one for each core",
    help="Number of processes; results do not depend on it.",
)
@click.option(
    "--memory",
    "memory_gib",
    type=click.FloatRange(min=0.5),
    default=8.0,
    show_default=True,
    help="GiB of memory for one clustering of benchmark-suite; Windows has no such limit.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=1.0),
    default=900.0,
    show_default=True,
    help="Seconds for one clustering of benchmark-suite.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON, with all digits.")
def paper(experiment: str, as_json: bool, **options: Any) -> None:
    """Reproduce experiments of the paper and compare with its numbers.

    \b
    even-sizes       clusters of 10 against clusters of 1 to 100 (Figure 1)
    random-order     do both adjustments order random clusterings alike? (Table 1)
    timing           seconds against the number of samples (Figure 2)
    benchmark-suite  ten algorithms on 79 data sets (Figure 3); needs --data
    disagreement     not in the paper: where the two adjustments differ
    all              all of these

    Each writes NAME.json, NAME.md and its figures (PNG and SVG) to the output folder. Ctrl-C keeps what is done; the
    same command goes on from there.
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    _require_extra()
    from chanceless.paper.experiment_result import Settings, write  # noqa: PLC0415 - an extra, slow to import

    settings = Settings(**options)
    results, errors = dict[str, Any](), list[str]()
    for name in NAMES if experiment == _ALL else (experiment,):
        try:
            result = run_experiment(name, settings)
            write(result, settings)
        except ChancelessError as error:
            errors.append(error.render(TYPED))
            continue
        except KeyboardInterrupt:
            click.echo(f"The finished parts of {name} are kept; the same command goes on from there.", err=True)
            raise
        errors.extend(result.left_out)
        results[name] = result.as_dictionary(settings)
        if not as_json:
            _print(result, settings)
    if as_json:
        shown = results if experiment == _ALL else results.get(experiment)
        click.echo(json.dumps(shown, indent=2, allow_nan=False))
    for message in errors:
        click.echo(f"Error: {message}", err=True)
    if errors:
        click.get_current_context().exit(1)


def _print(result: Result, settings: Settings) -> None:
    lines = []
    for claim in result.claims:
        lines += [
            f"  {claim.verdict:14} {claim.claim}",
            f"                 {claim.measured}",
        ]
    print_view(View([result.title], [*lines, f"  More in {settings.output / result.name}.md", ""]))


def _require_extra() -> None:
    missing = [name for name in _EXTRA if find_spec(name) is None]
    if missing:
        needs = f"the experiments need packages that are not installed: {', '.join(missing)}"
        raise ExtraError(needs, hint='pip install "chanceless[paper]"')
