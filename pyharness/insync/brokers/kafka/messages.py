"""Find the error codes of an answer by Kafka's own description of it.

The jar of Kafka's clients has a file per message, with every version of it (from 2.4 on): so each
version is read as that Kafka writes it. Nothing but places is read; who changes a code there keeps
a well-formed answer.
"""

import json
import struct
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from insync.brokers.kafka.wire import Fields

CORRELATION_END: Final = 8
"""Of an answer with its length: where the number of its request ends."""
_API_VERSIONS: Final = 18
_SIZES: Final = {
    "bool": 1, "int8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8,
    "float64": 8, "uuid": 16,
}  # fmt: skip
_COUNTED: Final = {"string": "h", "bytes": "i", "records": "i"}
_CODE: Final = "ErrorCode"

Description = Mapping[str, Any]


def described(jars: Iterable[Path], api: int) -> Description | None:
    """Return the description of an API's answers; None if these jars have none."""
    for jar in jars:
        if not jar.name.startswith("kafka-clients-"):
            continue
        with zipfile.ZipFile(jar) as opened:
            for name in opened.namelist():
                if name.startswith("common/message/") and name.endswith("Response.json"):
                    lines = opened.read(name).decode().splitlines()
                    text = "\n".join(line for line in lines if not line.lstrip().startswith("//"))
                    found: Description = json.loads(text)
                    if found["apiKey"] == api:
                        return found
    return None


def error_places(
    description: Description, version: int, answer: bytes, *, whole: bool
) -> Sequence[int]:
    """Return where an answer, with its length before it, has error codes of 2 bytes.

    Those of its innermost parts, such as partitions; `whole`: those of its outermost, such as the
    answer itself. A part that is not in the answer has no place, and neither has an answer that is
    not as described.
    """
    try:
        walk = _Walk(description, version, answer)
        places = walk.places_at(whole=whole)
    except struct.error:
        return ()
    return places if walk.is_over else ()


class _Walk:
    """One pass over an answer, field by field."""

    def __init__(self, description: Description, version: int, answer: bytes) -> None:
        self._end = len(answer)
        self._fields = Fields(answer, CORRELATION_END)
        self._version = version
        self._whole: Sequence[Description] = description["fields"]
        self._structs = {
            each["name"]: each["fields"] for each in description.get("commonStructs", ())
        }
        self._flexible = within(version, description["flexibleVersions"])
        self._places: list[tuple[int, int]] = []
        if self._flexible and description["apiKey"] != _API_VERSIONS:
            self._skip_tags()

    @property
    def is_over(self) -> bool:
        """Whether the whole answer has been read."""
        return self._fields.at == self._end

    def places_at(self, *, whole: bool) -> Sequence[int]:
        """Return the places at the least or the greatest depth that this version has."""
        self._struct(self._whole, 0)
        depths = set(self._depths(self._whole, 0))
        wanted = min(depths, default=0) if whole else max(depths, default=0)
        return [place for depth, place in self._places if depth == wanted]

    def _depths(self, fields: Sequence[Description], depth: int) -> Iterable[int]:
        for field in self._present(fields):
            if field["name"].endswith(_CODE):
                yield depth
            yield from self._depths(self._inner(field, field["type"].removeprefix("[]")), depth + 1)

    def _present(self, fields: Sequence[Description]) -> Iterable[Description]:
        """Yield the fields that this version has, except tagged ones, which have no error codes."""
        for field in fields:
            tagged = within(self._version, field.get("taggedVersions", "none"))
            if within(self._version, field["versions"]) and not tagged:
                yield field

    def _inner(self, field: Description, kind: str) -> Sequence[Description]:
        inner: Sequence[Description] = field.get("fields") or self._structs.get(kind, ())
        return inner

    def _struct(self, fields: Sequence[Description], depth: int) -> None:
        for field in self._present(fields):
            self._value(field, field["type"], depth)
        if self._flexible:
            self._skip_tags()

    def _value(self, field: Description, kind: str, depth: int) -> None:
        if kind in _SIZES:
            if field["name"].endswith(_CODE):
                self._places.append((depth, self._fields.at))
            self._fields.skip(_SIZES[kind])
        elif kind in _COUNTED:
            self._fields.skip(self._count(_COUNTED[kind]))
        elif kind.startswith("[]"):
            for _ in range(self._count("i")):
                self._value(field, kind[2:], depth)
        else:
            nullable = within(self._version, field.get("nullableVersions", "none"))
            array = field["type"] != kind
            if array or not nullable or self._fields.take("b")[0] >= 0:
                self._struct(self._inner(field, kind), depth + 1)

    def _count(self, length: str) -> int:
        """Return how many bytes or items follow; none for null."""
        count = self._fields.varint() - 1 if self._flexible else self._fields.take(length)[0]
        return max(int(count), 0)

    def _skip_tags(self) -> None:
        for _ in range(self._fields.varint()):
            self._fields.varint()
            self._fields.skip(self._fields.varint())


def within(version: int, versions: str) -> bool:
    """Return whether a version is one of Kafka's `versions`: "3", "1-3", "2+" or "none"."""
    if versions == "none":
        return False
    first, _, last = versions.removesuffix("+").partition("-")
    most = version if versions.endswith("+") else int(last or first)
    return int(first) <= version <= most
