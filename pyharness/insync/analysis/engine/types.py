"""Converts the names of types, as Spark writes them, to Arrow's types."""

from __future__ import annotations

import pyarrow as pa

_SIMPLE = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "long": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "binary": pa.binary(),
}


def arrow_schema(columns: str) -> pa.Schema:
    """Return the schema of columns in Spark's DDL, such as `run string, isr array<int>`."""
    named = (column.strip().partition(" ") for column in _split(columns) if column.strip())
    return pa.schema([(name.strip("`"), arrow_type(of.strip())) for name, _, of in named])


def arrow_type(name: str) -> pa.DataType:
    """Return Arrow's type for Spark's simple string of a type."""
    if name in _SIMPLE:
        return _SIMPLE[name]
    outer, _, rest = name.partition("<")
    inner = _split(rest[:-1])
    if outer == "array":
        return pa.list_(arrow_type(rest[:-1]))
    if outer == "map":
        return pa.map_(*(arrow_type(part.strip()) for part in inner))
    fields = (part.strip().partition(":") for part in inner)
    return pa.struct([(field, arrow_type(of)) for field, _, of in fields])


def _split(types: str) -> list[str]:
    """Split at the commas that are in no brackets."""
    parts, depth, begun = [], 0, 0
    for place, letter in enumerate(types):
        depth += (letter == "<") - (letter == ">")
        if letter == "," and not depth:
            parts.append(types[begun:place])
            begun = place + 1
    return [*parts, types[begun:]]
