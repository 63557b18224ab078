"""Columns of every type that pandas, polars and pyarrow have, drawn at random, beside the labels that they hold."""

import datetime
import decimal
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

D = decimal.Decimal
ZONES = None, "UTC", "Asia/Tokyo"
DAYS = [datetime.date(2024, 1, day) for day in (1, 2, 3)]
MOMENTS = [datetime.datetime(2024, 1, day, hour) for day, hour in ((1, 0), (1, 1), (2, 0))]
POOLS = {
    "integers": [-1, 0, 1, 100],
    "naturals": [0, 1, 7, 200],
    "floats": [-0.0, 0.0, 1.0, 2.5, float("nan")],
    "decimals": [D("0.10"), D("-1.00"), D("3.00")],
    "text": ["", "a", "A", "naïve", "猫", "1"],
    "bytes": [b"ab", b"cd", b"\x00\xff"],
    "booleans": [True, False],
    "dates": DAYS,
    "moments": MOMENTS,
    "spans": [datetime.timedelta(0), datetime.timedelta(days=1), datetime.timedelta(seconds=1)],
    "times": [datetime.time(1), datetime.time(2, 30)],
    "uuids": [uuid.UUID(int=1).bytes, uuid.UUID(int=2).bytes],
    "lists": [[1], [1, 2]],
    "structs": [{"x": 1}, {"x": 2}],
    "nothing": [None],
}
UNITS, CODE = ("s", "ms", "us", "ns"), pa.int32()
ARROW = {
    "integers": [pa.int8(), pa.int16(), pa.int32(), pa.int64()],
    "naturals": [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()],
    "floats": [pa.float16(), pa.float32(), pa.float64()],
    "decimals": [pa.decimal128(9, 2), pa.decimal256(50, 2), pa.decimal32(7, 2), pa.decimal64(9, 2)],
    "text": [pa.string(), pa.large_string(), pa.string_view(), pa.json_()],
    "bytes": [pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(2)],
    "booleans": [pa.bool_(), pa.bool8()],
    "dates": [pa.date32(), pa.date64(), pa.dictionary(CODE, pa.date32())],
    "moments": [pa.timestamp(unit, zone) for unit in UNITS for zone in ZONES],
    "spans": [pa.duration(unit) for unit in UNITS],
    "times": [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")],
    "uuids": [pa.uuid()],
    "lists": [pa.list_(pa.int64())],
    "structs": [pa.struct({"x": pa.int64()})],
    "nothing": [pa.null()],
}
ARROW["text"] += [pa.dictionary(code, pa.string()) for code in (pa.int8(), CODE, pa.uint16())]
ARROW["text"] += [pa.dictionary(CODE, pa.large_string()), pa.run_end_encoded(CODE, pa.string())]
ARROW["integers"] += [pa.dictionary(CODE, pa.int64()), pa.run_end_encoded(CODE, pa.int64())]
POLARS = {
    "integers": [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128, pl.Object],
    "naturals": [pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.UInt128],
    "floats": [pl.Float16, pl.Float32, pl.Float64],
    "decimals": [pl.Decimal(20, 2), pl.Object],
    "text": [pl.String, pl.Categorical, pl.Enum(["unused", *POOLS["text"]]), pl.Object],
    "bytes": [pl.Binary],
    "booleans": [pl.Boolean],
    "dates": [pl.Date, pl.Object],
    "moments": [pl.Datetime(unit, zone) for unit in UNITS[1:] for zone in ZONES],
    "spans": [pl.Duration(unit) for unit in UNITS[1:]],
    "times": [pl.Time],
    "lists": [pl.List(pl.Int64)],
    "structs": [pl.Struct({"x": pl.Int64})],
    "nothing": [pl.Null],
}
NUMPY = {
    "integers": ["int8", "int16", "int32", "int64", "float64", "Int8", "Int64", "Float64", "object"],
    "naturals": ["uint8", "uint64", "UInt64", "object"],
    "floats": ["float16", "float32", "float64", "Float32", "object"],
    "text": ["object", "str", "string[python]", "category"],
    "booleans": ["bool", "boolean", "object", "category"],
    "dates": ["object", "datetime64[s]", "category"],
    "moments": ["object", "datetime64[s]", "datetime64[ms]", "datetime64[us]", "datetime64[ns]", "datetime64[ns, UTC]"],
    "spans": ["object", "timedelta64[s]", "timedelta64[ns]"],
    "nothing": ["object", "float64"],
    **{pool: ["object"] for pool in ("decimals", "bytes", "times", "lists", "structs")},
}


def draw(generator, pool, n_rows, *, gaps=True):
    """Draw labels, sometimes with gaps."""
    chance = generator.choice([0, 0, 0.3]) if gaps else 0
    return [None if generator.random() < chance else generator.choice(POOLS[pool]) for _ in range(n_rows)]


def as_arrow(labels, kind):
    """Return a column of pyarrow."""
    if isinstance(kind, pa.BaseExtensionType):
        storage = kind.storage_type
        plain = pa.array(labels, pa.bool_()).cast(storage) if storage == pa.int8() else pa.array(labels, storage)
        return pa.ExtensionArray.from_storage(kind, plain)
    if pa.types.is_dictionary(kind):
        return pa.array(labels, kind.value_type).dictionary_encode().cast(kind)
    if pa.types.is_run_end_encoded(kind):
        return pa.compute.run_end_encode(pa.array(labels, kind.value_type), run_end_type=kind.run_end_type)
    if pa.types.is_decimal(kind):
        return pa.array(labels, pa.decimal128(9, 2)).cast(kind)
    return pa.array(labels, kind)


def as_pandas(generator, labels, pool):
    """Return a column of pandas of numpy's, pandas' or Arrow's types, or None if it cannot hold the labels."""
    if generator.random() < 0.4:
        column = as_arrow(labels, generator.choice(ARROW[pool]))
        return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([column])))
    dtype = generator.choice(NUMPY[pool])
    if dtype == "bool" and None in labels:  # it would be False
        return None
    try:
        if dtype == "category" and generator.random() < 0.5:
            return pd.Series(pd.Categorical(labels, categories=[*POOLS[pool], *(["unused"] if pool == "text" else [])]))
        if dtype.endswith("UTC]"):
            return pd.Series(labels).dt.tz_localize("UTC")
        return pd.Series(labels, dtype=dtype)
    except (TypeError, ValueError, AttributeError):
        return None


def as_polars(labels, kind):
    """Return a column of polars."""
    return pl.Series("x", labels, dtype=kind, strict=False)


def key(label):  # noqa: PLR0911 - one for each kind
    """Return what is equal for equal labels, whatever the library made of them; None for a missing one."""
    if isinstance(label, np.generic):
        label = label.item() if label.dtype.kind not in "mM" else label
    if label is None or label is pd.NA or label is pd.NaT or label != label:  # noqa: PLR0124
        return None
    if isinstance(label, uuid.UUID):
        return label.bytes
    if isinstance(label, np.datetime64 | datetime.date):
        moment = pd.Timestamp(label)
        return "moment", (moment if moment.tzinfo is None else moment.tz_convert("UTC").tz_localize(None)).as_unit("us")
    if isinstance(label, np.timedelta64 | datetime.timedelta):
        return "span", pd.Timedelta(label).as_unit("us")
    if isinstance(label, datetime.time):
        return "span", pd.Timedelta(str(label)).as_unit("us")
    if isinstance(label, list | dict | np.ndarray):
        return repr(label)
    return float(label) if isinstance(label, int | float | D) else label
