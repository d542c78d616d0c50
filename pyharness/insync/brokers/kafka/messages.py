"""Find the error codes of an answer, or make one, by Kafka's own description of it.

The jar of Kafka's clients has a file per message, with every version of it (from 2.4 on): so each
version is read as that Kafka writes it. Who changes a code where one is keeps a well-formed answer.
"""

import json
import struct
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from insync.brokers.kafka.wire import Fields, varint

CORRELATION_END: Final = 8
"""Of an answer with its length: where the number of its request ends."""
_NUMBER: Final = 8
_CLIENT: Final = 12
"""Of a request with its length: where its number, and its client's name, begin."""
_API_VERSIONS: Final = 18
_SIZES: Final = {
    "bool": 1, "int8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8,
    "float64": 8, "uuid": 16,
}  # fmt: skip
_COUNTED: Final = {"string": "h", "bytes": "i", "records": "i"}
_NUMBERS: Final = {"": 0, "false": 0, "true": 1}
"""What Kafka writes if nothing is set, where that is not written as a number."""
_CODE: Final = "ErrorCode"
_FIRST: Final = json.JSONDecoder().raw_decode

Description = Mapping[str, Any]
Value: TypeAlias = "bytes | list[Value] | dict[str, Value]"
"""A field as it was read: as it is written, or the items of an array, or the fields of a part."""


def described(jars: Iterable[Path], api: int, of: str = "Response") -> Description | None:
    """Return the description of an API's answers, or requests; None if these jars have none."""
    for jar in jars:
        if not jar.name.startswith("kafka-clients-"):
            continue
        with zipfile.ZipFile(jar) as opened:
            for name in opened.namelist():
                if name.startswith("common/message/") and name.endswith(f"{of}.json"):
                    lines = opened.read(name).decode().splitlines()
                    text = "\n".join(line for line in lines if not line.lstrip().startswith("//"))
                    found: Description = _FIRST(text.lstrip())[0]  # one has a brace too many
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
        return _Walk(description, version, answer, CORRELATION_END).places_at(whole=whole)
    except struct.error:
        return ()


def answer_to(asked: Description, answers: Description, version: int, request: bytes) -> bytes:
    """Return an answer to a request, both with their length, in which every error code is 0.

    It has a part for each part of the request, such as a partition, and in it what is called the
    same; the rest is as Kafka writes it if nothing is set. Empty for a request that is not as
    described.
    """
    try:
        client = max(0, struct.unpack_from(">h", request, _CLIENT)[0])
        values = _Walk(asked, version, request, _CLIENT + 2 + client).values()
    except struct.error:
        return b""
    body = request[_NUMBER:_CLIENT] + _Maker(answers, version).whole(values)
    return struct.pack(">i", len(body)) + body


class _Described:
    """A version of a message as it is described."""

    def __init__(self, description: Description, version: int) -> None:
        self._version = version
        self._whole: Sequence[Description] = description["fields"]
        self._structs = {
            each["name"]: each["fields"] for each in description.get("commonStructs", ())
        }
        self._flexible = within(version, description["flexibleVersions"])
        self._tagged_head = self._flexible and description["apiKey"] != _API_VERSIONS

    def _present(self, fields: Sequence[Description]) -> Iterable[Description]:
        """Yield the fields that this version has, except tagged ones, which have no error codes."""
        for field in fields:
            tagged = within(self._version, field.get("taggedVersions", "none"))
            if within(self._version, field["versions"]) and not tagged:
                yield field

    def _inner(self, field: Description, kind: str) -> Sequence[Description]:
        inner: Sequence[Description] = field.get("fields") or self._structs.get(kind, ())
        return inner


class _Walk(_Described):
    """One pass over a message from where its head may have tags on, field by field."""

    def __init__(self, description: Description, version: int, message: bytes, at: int) -> None:
        super().__init__(description, version)
        self._message = message
        self._fields = Fields(message, at)
        self._places: list[tuple[int, int]] = []
        if self._tagged_head:
            self._skip_tags()

    def values(self) -> dict[str, Value]:
        return self._struct(self._whole, 0)

    def places_at(self, *, whole: bool) -> Sequence[int]:
        """Return the places at the least or the greatest depth that this version has.

        There are none if more follows than is described.
        """
        self._struct(self._whole, 0)
        if self._fields.at != len(self._message):
            return ()
        depths = set(self._depths(self._whole, 0))
        wanted = min(depths, default=0) if whole else max(depths, default=0)
        return [place for depth, place in self._places if depth == wanted]

    def _depths(self, fields: Sequence[Description], depth: int) -> Iterable[int]:
        for field in self._present(fields):
            if field["name"].endswith(_CODE):
                yield depth
            yield from self._depths(self._inner(field, field["type"].removeprefix("[]")), depth + 1)

    def _struct(self, fields: Sequence[Description], depth: int) -> dict[str, Value]:
        present = self._present(fields)
        found = {each["name"]: self._value(each, each["type"], depth) for each in present}
        if self._flexible:
            self._skip_tags()
        return found

    def _value(self, field: Description, kind: str, depth: int) -> Value:
        begin = self._fields.at
        if kind in _SIZES:
            if field["name"].endswith(_CODE):
                self._places.append((depth, begin))
            self._fields.skip(_SIZES[kind])
        elif kind in _COUNTED:
            self._fields.skip(self._count(_COUNTED[kind]))
        elif kind.startswith("[]"):
            return [self._value(field, kind[2:], depth) for _ in range(self._count("i"))]
        else:
            nullable = within(self._version, field.get("nullableVersions", "none"))
            array = field["type"] != kind
            if array or not nullable or self._fields.take("b")[0] >= 0:
                return self._struct(self._inner(field, kind), depth + 1)
        return self._message[begin : self._fields.at]

    def _count(self, length: str) -> int:
        """Return how many bytes or items follow; none for null."""
        count = self._fields.varint() - 1 if self._flexible else self._fields.take(length)[0]
        return max(int(count), 0)

    def _skip_tags(self) -> None:
        for _ in range(self._fields.varint()):
            self._fields.varint()
            self._fields.skip(self._fields.varint())


class _Maker(_Described):
    """Writes a message from values of another one."""

    def whole(self, values: Mapping[str, Value]) -> bytes:
        """Return it, from where its head may have tags on."""
        return (b"\0" if self._tagged_head else b"") + self._struct(self._whole, values)

    def _struct(self, fields: Sequence[Description], values: Mapping[str, Value]) -> bytes:
        made = [self._value(each, each["type"], values) for each in self._present(fields)]
        return b"".join(made) + (b"\0" if self._flexible else b"")

    def _value(self, field: Description, kind: str, values: Mapping[str, Value]) -> bytes:
        inner = self._inner(field, kind.removeprefix("[]"))
        given, default = values.get(field["name"]), str(field.get("default", "")).lower()
        if kind.startswith("[]"):
            lists = [each for each in values.values() if inner and isinstance(each, list)]
            parts = [self._struct(inner, _named(inner, one)) for each in lists for one in each]
            return self._count(len(parts), "i", null=default == "null") + b"".join(parts)
        if kind in _COUNTED:
            empty = self._count(0, _COUNTED[kind], null=default == "null")
            return given if isinstance(given, bytes) else empty
        if kind not in _SIZES:
            return b"\xff" if default == "null" else self._struct(inner, {})
        if isinstance(given, bytes) and not field["name"].endswith(_CODE):
            return given
        number = _NUMBERS[default] if default in _NUMBERS else int(default, 0)
        return number.to_bytes(_SIZES[kind], "big", signed=True)

    def _count(self, count: int, length: str, *, null: bool) -> bytes:
        count = -1 if null and not count else count
        if not self._flexible:
            return struct.pack(f">{length}", count)
        return varint(count + 1)


def _named(fields: Sequence[Description], value: Value) -> Mapping[str, Value]:
    """Return the fields of a part; a mere number in a request is the first one of an answer."""
    return value if isinstance(value, dict) else {fields[0]["name"]: value}


def within(version: int, versions: str) -> bool:
    """Return whether a version is one of Kafka's `versions`: "3", "1-3", "2+" or "none"."""
    if versions == "none":
        return False
    first, _, last = versions.removesuffix("+").partition("-")
    most = version if versions.endswith("+") else int(last or first)
    return int(first) <= version <= most
