"""`python -m paper`: repeat the experiments of the paper."""

import json
import sys
from pathlib import Path
from typing import Any

try:
    import click

    from paper import benchmark_suite, disagreement, even_sizes, random_order, timing
    from paper.results import Result, Settings, write
    from paper.work import DataError
except ModuleNotFoundError as error:
    sys.exit(f'Error: the experiments need a package that is not installed: {error.name}. Hint: pip install ".[paper]"')

EXPERIMENTS = {each.NAME: each for each in (even_sizes, random_order, timing, benchmark_suite, disagreement)}
_ALL = "all"
_INTERRUPTED = 130


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: python -m paper random-order --output results",
)
@click.argument("experiment", metavar="EXPERIMENT", type=click.Choice([*EXPERIMENTS, _ALL]))
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
def main(experiment: str, as_json: bool, **options: Any) -> None:
    """Reproduce experiments of the paper and compare with its numbers.

    \b
    even-sizes       clusters of 10 against clusters of 1 to 100 (Figure 1)
    random-order     do both adjustments order random clusterings alike? (Table 1)
    timing           seconds against the number of samples (Figure 2)
    benchmark-suite  ten algorithms on 79 data sets (Figure 3); needs --data
    disagreement     not in the paper: where the two adjustments differ
    all              all of these

    Each writes NAME.json, NAME.md and its figures (PNG and SVG) to the output folder. Ctrl-C keeps what is done; the
    same command goes on from there. The state is kept as pickles: go on only in a folder that you made.
    """  # noqa: D301 - the escape is for click: it keeps the lines of a list apart
    settings = Settings(**options)
    results, errors = dict[str, Any](), list[str]()
    for name in EXPERIMENTS if experiment == _ALL else (experiment,):
        try:
            result = EXPERIMENTS[name].run(settings)
            write(result, settings)
        except DataError as error:
            errors.append(str(error))
            continue
        except KeyboardInterrupt:
            click.echo(f"The finished parts of {name} are kept; the same command goes on from there.", err=True)
            sys.exit(_INTERRUPTED)
        errors.extend(result.left_out)
        results[name] = result.as_dictionary(settings)
        if not as_json:
            _print(result, settings)
    if as_json:
        shown = results if experiment == _ALL else results.get(experiment)
        click.echo(json.dumps(shown, indent=2, allow_nan=False))
    for message in errors:
        click.echo(f"Error: {message}", err=True)
    sys.exit(1 if errors else 0)


def _print(result: Result, settings: Settings) -> None:
    click.secho(result.title, bold=True)
    for claim in result.claims:
        click.echo(f"  {claim.verdict:14} {claim.claim}\n                 {claim.measured}")
    click.echo(f"  More in {settings.output / result.name}.md\n")


if __name__ == "__main__":
    main(prog_name="python -m paper")
