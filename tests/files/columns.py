"""Write columns to files of the format that their names say."""

import gzip
import json

import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq

from tests.pets import csv_bytes


def json_bytes(columns, end="\n"):
    rows = zip(*columns.values(), strict=True)
    return "".join(json.dumps(dict(zip(columns, row, strict=True))) + end for row in rows).encode()


def write_part(path, columns):
    """Write a file, and the folders above it; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    elif path.suffix in (".arrow", ".feather"):
        pf.write_feather(pa.table(columns), str(path))
    else:
        name = path.name.removesuffix(".gz")
        content = json_bytes(columns) if name.endswith("jsonl") else csv_bytes(columns, "\t" if "tsv" in name else ",")
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path
