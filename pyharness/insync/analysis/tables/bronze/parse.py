"""Parses the lines of event files into columns, or says why a line cannot be read.

The same functions parse in this process and in Spark's Python workers. The workers get this module
by value, because they need not have insync installed: it may import only Python and pyarrow.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import json as arrow_json

EVENTS_VERSION = 1
"""The schema version `v`; a line of another one is unreadable."""

TIMES = ("t_ms", "injected_ms", "sent_ms", "begun_ms", "read_ms")
"""Fields with the time of an event; the first one that a kind of line has is its time."""

WRONG = "wrong"
"""The column that says why a line cannot be read; null: it was read."""

NOT_JSON = "incomplete, or no JSON"
OTHER_TYPE = "a field of another type"

_LIMITS = {"int": 1 << 31, "bigint": 1 << 63}
_PYTHON = {"string": str, "boolean": bool}


@dataclass(frozen=True, eq=False)
class EventKind:
    """One kind of event file: the pattern of its file names and the columns of its lines.

    `columns` are types by field, as Spark's simple strings. Every line must have the `required`
    fields; one without them is unreadable. `ordered` kinds have many lines in one millisecond, so a
    `line` number gives their order. Lines `of_no_kind` cannot be read.
    """

    name: str
    pattern: str
    columns: Mapping[str, str]
    required: tuple[str, ...]
    ordered: bool = False
    of_no_kind: str = ""

    @property
    def time(self) -> str | None:
        """Return the field with the time of a line's event (epoch, ms), if the kind has one."""
        return next((name for name in TIMES if name in self.columns), None)

    @property
    def readable(self) -> dict[str, str]:
        """Return the columns of readable lines, by name."""
        line = {"line": "bigint"} if self.ordered else {}
        return {"run": "string", "file": "string", **line, **self.columns}

    @property
    def stored(self) -> dict[str, str]:
        """Return the columns of the bronze table: also the text of a line that cannot be read."""
        return {**self.readable, "text": "string", WRONG: "string"}


@dataclass(frozen=True)
class Origin:
    """Where a line comes from: the run, the folder of the arm, the file's name."""

    run: str
    arm: str
    name: str

    @property
    def file(self) -> str:
        """Return the file's path below `events/`."""
        return f"{self.arm}/{self.name}" if self.arm else self.name


@dataclass(frozen=True)
class Parser:
    """Parses the lines of one kind; `schema` has the kind's stored columns."""

    kind: EventKind
    schema: pa.Schema

    def table(self, origin: Origin, lines: Sequence[bytes], first: int) -> pa.Table:
        """Return a row per line that is not blank; `first` is the number of the first line."""
        numbers = [first + nth for nth, line in enumerate(lines) if line.strip()]
        filled = [line for line in lines if line.strip()]
        found = self._at_once(filled) or self._one_by_one(filled)
        count = len(filled)
        own = {"run": [origin.run] * count, "file": [origin.file] * count, "line": numbers}
        columns = {**found, **{name: pa.array(values) for name, values in own.items()}}
        none = pa.nulls(count)
        return pa.table(
            [columns.get(field.name, none).cast(field.type) for field in self.schema],
            schema=self.schema,
        )

    def from_spark(self, origins: Mapping[str, Origin]) -> Any:
        """Return what Spark's workers call with batches of text, path and block.

        The lines of a block come one after another; the number of a line is the block's offset in
        the file, and how many lines of the block are before it. `origins` are by path.
        """

        def parse(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            place, number = None, 0
            for batch in batches:
                rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
                for here, of_place in groupby(rows, key=lambda row: row[1:]):
                    lines = [text for text, _, _ in of_place]
                    number = number if here == place else here[1] + 1
                    place = here
                    yield from self.table(
                        origins[with_one_slash(unquote(here[0]))], lines, number
                    ).to_batches()
                    number += len(lines)

        return parse

    def _at_once(self, lines: Sequence[bytes]) -> dict[str, pa.Array] | None:
        """Return the columns of the lines; None unless every line is readable.

        Arrow's parser is quick and takes the first error as that of the whole text. It crashes
        on values that are not objects, and takes several on one line for several lines.
        """
        kind = self.kind
        if kind.of_no_kind or not all(line[:1] == b"{" and line[-1:] == b"}" for line in lines):
            return None
        schema = pa.schema([("v", pa.int32()), *(self.schema.field(n) for n in kind.columns)])
        if not lines or any(pa.types.is_map(each) for each in schema.types):
            return None
        text = b"\n".join(lines)
        try:
            text.decode()
            found = arrow_json.read_json(
                pa.BufferReader(text),
                arrow_json.ReadOptions(use_threads=False, block_size=len(text) + 64),
                arrow_json.ParseOptions(schema, unexpected_field_behavior="ignore"),
            )
        except (pa.ArrowInvalid, UnicodeDecodeError):
            return None
        if found.num_rows != len(lines) or not self._is_complete(found):
            return None
        return {name: found.column(name).combine_chunks() for name in kind.columns}

    def _is_complete(self, found: pa.Table) -> bool:
        kind, version = self.kind, found.column("v")
        same = pc.all(pc.equal(version, EVENTS_VERSION)).as_py() and not version.null_count
        lacking = any(found.column(name).null_count for name in kind.required)
        return bool(same and not lacking)

    def _one_by_one(self, lines: Sequence[bytes]) -> dict[str, pa.Array]:
        kind = self.kind
        rows = [_row(kind, line) for line in lines]
        found = {
            name: pa.array([row.get(name) for row, _ in rows], self.schema.field(name).type)
            for name in kind.columns
        }
        texts = [
            _decoded(line) if wrong else None for line, (_, wrong) in zip(lines, rows, strict=True)
        ]
        found["text"] = pa.array(texts, pa.string())
        found[WRONG] = pa.array([wrong for _, wrong in rows], pa.string())
        return found


def _row(kind: EventKind, line: bytes) -> tuple[dict[str, Any], str | None]:
    """Return the values of a line, and why it cannot be read."""
    if kind.of_no_kind:
        return {}, kind.of_no_kind
    try:
        found = json.loads(_decoded(line))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return {}, NOT_JSON
    version = found.get("v")
    if type(version) is int and version != EVENTS_VERSION:
        return {}, f"schema version {version}, expected {EVENTS_VERSION}"
    try:
        row = {name: _value(found.get(name), of) for name, of in kind.columns.items()}
    except (TypeError, OverflowError):
        return {}, OTHER_TYPE
    if version is None:
        return {}, "no schema version v"
    if type(version) is not int:
        return {}, OTHER_TYPE
    missing = next((name for name in kind.required if row[name] is None), None)
    return ({}, f"{missing} is missing") if missing else (row, None)


def _value(value: Any, of: str) -> Any:
    """Return a JSON value as one of a type; raises TypeError or OverflowError if it is not."""
    if value is None:
        return None
    if of in _LIMITS and type(value) is int and -_LIMITS[of] <= value < _LIMITS[of]:
        return value
    if of == "double" and type(value) in (int, float):
        return float(value)
    if of in _PYTHON and type(value) is _PYTHON[of]:
        return value
    if of.startswith("array") and isinstance(value, list):
        return [_value(each, of[len("array<") : -1]) for each in value]
    if of.startswith("map") and isinstance(value, dict):
        return [(key, _value(each, "double")) for key, each in value.items()]
    raise TypeError(of)


def _decoded(line: bytes) -> str:
    return line.decode(errors="replace")


def with_one_slash(path: str) -> str:
    """Return a path as one text: local files have one slash or three after `file:`."""
    return path.replace("file:///", "file:/")
