"""Score two columns of a table on a Spark cluster, and write all scores as JSON.

    spark-submit spark_job.py cells.parquet --truth cell_type --predicted cluster --output scores.json

Spark groups and counts on its executors. Only the driver needs chanceless; it collects one row for each distinct count
or size. On bad data the job prints one line starting with "Error:" and exits with code 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from chanceless import ChancelessError, Spectrum, compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

FORMATS = "parquet", "orc", "json", "csv", "table"
MISSING = "raise", "drop", "category"


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the table, score it, write the scores."""
    options = parse(arguments)
    session = SparkSession.builder.appName("chanceless").getOrCreate()
    try:
        write(score(read(session, options), options), options.output)
    except (ChancelessError, PySparkException, Py4JJavaError, OSError) as error:
        sys.exit(f"Error: {first_line(error)}")
    finally:
        session.stop()


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="Score two columns of labels on a Spark cluster.")
    parser.add_argument("inputs", nargs="+", help="paths or globs that Spark can read, or one table of the catalog")
    parser.add_argument("--format", choices=FORMATS, default="parquet", help="format of the inputs (default: parquet)")
    parser.add_argument("--truth", required=True, help="the column of true labels")
    parser.add_argument("--predicted", required=True, help="the column of predicted labels")
    parser.add_argument("--weight", help="the column with the number of samples per row")
    parser.add_argument("--missing", choices=MISSING, default="raise", help="rows without a label (default: raise)")
    parser.add_argument("--output", type=Path, help="a file on the driver's machine (default: standard output)")
    options = parser.parse_args(arguments)
    if options.format == "table" and len(options.inputs) > 1:
        parser.error("--format table takes one table")
    return options


def read(session: SparkSession, options: argparse.Namespace) -> DataFrame:
    """Return the table as a lazy dataframe. Labels in CSV files are text."""
    if options.format == "table":
        return session.table(options.inputs[0])
    frame = session.read.format(options.format).option("header", True).load(options.inputs)
    if options.format == "csv" and options.weight in frame.columns:
        frame = frame.withColumn(options.weight, frame[f"`{options.weight.replace('`', '``')}`"].cast("double"))
    return frame


def score(frame: DataFrame, options: argparse.Namespace) -> dict[str, Any]:
    """Count in Spark and score on the driver; return the scores as a dict."""
    spectrum = Spectrum.from_frame(
        frame, options.truth, options.predicted, weight=options.weight, missing=options.missing
    )
    return compare(spectrum).to_dict()


def write(scored: dict[str, Any], output: Path | None) -> None:
    """Write JSON to a file, or to standard output."""
    text = json.dumps(scored, indent=2, allow_nan=False)
    if output is None:
        print(text)
    else:
        output.write_text(f"{text}\n", encoding="utf-8")


def first_line(error: Exception) -> str:
    """Return the first line of the message, without the Java stack trace."""
    message = error.java_exception.toString() if isinstance(error, Py4JJavaError) else str(error)
    return message.strip().partition("\n")[0]


if __name__ == "__main__":
    main()
