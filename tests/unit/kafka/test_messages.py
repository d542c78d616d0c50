"""Where the error codes of an answer are, by Kafka's description of its versions."""

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from insync.brokers.kafka.messages import answer_to, described, error_places, within

ANSWER: dict[str, Any] = {
    "apiKey": 1,
    "flexibleVersions": "3+",
    "fields": [
        {"name": "ThrottleTimeMs", "type": "int32", "versions": "1+"},
        {"name": "ErrorCode", "type": "int16", "versions": "2+"},
        {"name": "Topics", "type": "[]Topic", "versions": "0+", "fields": [
            {"name": "Name", "type": "string", "versions": "0-3"},
            {"name": "Id", "type": "uuid", "versions": "4+"},
            {"name": "Partitions", "type": "[]Partition", "versions": "0+"},
        ]},
        {"name": "Leader", "type": "Node", "versions": "2+", "nullableVersions": "2+",
         "default": "null", "fields": [{"name": "Id", "type": "int32", "versions": "0+"}]},
        {"name": "Fenced", "type": "bool", "versions": "2+", "default": "true"},
        {"name": "Late", "type": "int16", "versions": "3+", "taggedVersions": "3+", "tag": 0},
    ],
    "commonStructs": [
        {"name": "Partition", "versions": "0+", "fields": [
            {"name": "Index", "type": "int32", "versions": "0+"},
            {"name": "PartitionErrorCode", "type": "int16", "versions": "0+"},
            {"name": "Offset", "type": "int64", "versions": "0+", "default": "-1"},
            {"name": "Words", "type": "string", "versions": "1+", "nullableVersions": "1+",
             "default": "null"},
            {"name": "Isr", "type": "[]int32", "versions": "2+"},
        ]},
    ],
}  # fmt: skip
HEAD = struct.pack(">ii", 0, 7)
NO_TAGS = b"\0"


def codes(answer: bytes, version: int, *, whole: bool) -> list[int]:
    places = error_places(ANSWER, version, answer, whole=whole)
    return [struct.unpack_from(">h", answer, place)[0] for place in places]


def test_an_old_version_has_lengths_of_fixed_size() -> None:
    topic = struct.pack(">i h2s i", 1, 2, b"ab", 2)
    topics = topic + struct.pack(">ihq ihq", 0, 11, 7, 1, 12, 7)
    assert codes(HEAD + topics, 0, whole=False) == [11, 12]
    assert codes(HEAD + topics, 0, whole=True) == [11, 12], "the outermost that it has"
    topics = topic + struct.pack(">ihqh3si ihqhii", 0, 11, 7, 3, b"abc", 0, 1, 12, 7, -1, 1, 5)
    with_node = HEAD + struct.pack(">ih", 0, 9) + topics + struct.pack(">bi?", 1, 100, True)
    assert codes(with_node, 2, whole=False) == [11, 12]
    assert codes(with_node, 2, whole=True) == [9]


@pytest.mark.parametrize("version", [3, 4])
def test_a_flexible_version_has_short_lengths_and_tags(version: int) -> None:
    name = b"\3ab" if version == 3 else bytes(16)
    long = bytes(200)
    # Words of 200 bytes, counted from one; then null, and a tag of two bytes.
    first = struct.pack(">ihq", 0, 11, 7) + b"\xc9\x01" + long + b"\1" + NO_TAGS
    second = struct.pack(">ihq", 1, 12, 7) + b"\0" + b"\2\0\0\0\5" + b"\1\5\2xy"
    topics = b"\2" + name + b"\3" + first + second + NO_TAGS
    late = b"\1\0\2\0\5"
    answer = HEAD + NO_TAGS + struct.pack(">ih", 0, 9) + topics + b"\xff\1" + late
    assert codes(answer, version, whole=False) == [11, 12]
    assert codes(answer, version, whole=True) == [9]


def test_without_partitions_there_is_no_place_for_their_errors() -> None:
    """The answer's own code is another thing."""
    answer = HEAD + NO_TAGS + struct.pack(">ih", 0, 9) + b"\0" + b"\xff\1" + NO_TAGS
    assert codes(answer, 3, whole=False) == []
    assert codes(answer, 3, whole=True) == [9]


ASKED: dict[str, Any] = {
    "apiKey": 1,
    "flexibleVersions": "3+",
    "fields": [
        {"name": "Group", "type": "string", "versions": "1+", "nullableVersions": "1+"},
        {"name": "Data", "type": "[]TopicData", "versions": "0+", "fields": [
            {"name": "Id", "type": "uuid", "versions": "4+"},
            {"name": "Name", "type": "string", "versions": "0-3"},
            {"name": "Records", "type": "records", "versions": "1+", "nullableVersions": "1+"},
            {"name": "Indexes", "type": "[]int32", "versions": "0+"},
        ]},
    ],
}  # fmt: skip
ASKS = struct.pack(">ihhi", 0, 1, 0, 77) + struct.pack(">h2s", 2, b"me")


def test_an_answer_names_what_its_request_does_and_has_no_error() -> None:
    asked = struct.pack(">h", -1) + struct.pack(">i h2s i3s iii", 1, 2, b"ab", 3, b"abc", 2, 5, 6)
    made = answer_to(ASKED, ANSWER, 1, ASKS + asked)
    parts = struct.pack(">ihqh ihqh", 5, 0, -1, -1, 6, 0, -1, -1)
    body = struct.pack(">ii i h2s i", 77, 0, 1, 2, b"ab", 2) + parts
    assert made == struct.pack(">i", len(body)) + body
    assert len(error_places(ANSWER, 1, made, whole=False)) == 2


def test_an_answer_of_a_flexible_version_is_made_of_short_lengths_and_tags() -> None:
    records = b"\xc9\x01" + bytes(200)
    asked = (
        b"\1\2\1x" + b"\0" + b"\2" + bytes(16) + records + b"\2" + struct.pack(">i", 5) + b"\0\0"
    )
    made = answer_to(ASKED, ANSWER, 4, ASKS + asked)
    part = struct.pack(">ihq", 5, 0, -1) + b"\0" + b"\1" + NO_TAGS
    topics = b"\2" + bytes(16) + b"\2" + part + NO_TAGS
    assert made[4:] == struct.pack(">i", 77) + NO_TAGS + bytes(6) + topics + b"\xff\1" + NO_TAGS
    assert len(error_places(ANSWER, 4, made, whole=True)) == 1
    assert answer_to(ASKED, ANSWER, 4, ASKS + asked[:-3]) == b""


def test_an_answer_that_is_not_as_described_has_no_places() -> None:
    whole = HEAD + struct.pack(">i h2s i ihq", 1, 2, b"ab", 1, 0, 11, 7)
    assert codes(whole, 0, whole=False) == [11]
    for answer in (whole[:-1], whole + b"0", HEAD + struct.pack(">i", 1)):
        assert codes(answer, 0, whole=False) == []


@pytest.mark.parametrize(
    ("versions", "has"), [("2+", [2, 3, 4]), ("1-3", [1, 2, 3]), ("2", [2]), ("none", [])]
)
def test_versions_are_written_as_kafka_does(versions: str, has: list[int]) -> None:
    assert [each for each in range(5) if within(each, versions)] == has


def test_a_description_is_found_in_the_jar_of_the_clients(tmp_path: Path) -> None:
    other, jar = tmp_path / "kafka-server-4.3.1.jar", tmp_path / "kafka-clients-4.3.1.jar"
    for file in (other, jar):
        with zipfile.ZipFile(file, "w") as made:
            body = json.dumps({"apiKey": 1, "name": file.stem})
            text = f"// Licensed\n{{\n  // words\n{body.removeprefix('{')}"
            asked = {"apiKey": 1, "name": f"asks {file.stem}"}
            made.writestr("common/message/FetchRequest.json", f"{json.dumps(asked)}\n}}")
            made.writestr("common/message/FetchResponse.json", text)
    assert described([other, jar], 1) == {"apiKey": 1, "name": "kafka-clients-4.3.1"}
    assert described([other, jar], 1, "Request") == {
        "apiKey": 1,
        "name": "asks kafka-clients-4.3.1",
    }
    assert described([other, jar], 2) is None
    assert described([other], 1) is None
