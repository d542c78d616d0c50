"""The files of results that a JVM writes, complete or cut off."""

import json
from pathlib import Path

import pytest

from insync.kafka_tests.results import FAILED, PASSED, read_class, seal

ONE = {"id": "[one]", "name": "one()", "shown": "one()"}
TWO = {"id": "[two]", "name": "two()", "shown": "two()"}


def lines(*entries: dict[str, object]) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def test_a_class_is_read_test_by_test(tmp_path: Path) -> None:
    file = tmp_path / "T.jsonl"
    file.write_text(lines(
        {"type": "started", **ONE},
        {"type": "ended", **ONE, "outcome": "passed", "ms": 3, "detail": ""},
        {"type": "class", "ms": 5, "cpu_ms": 4, "agent": {"errors": 0}},
    ))  # fmt: skip
    found = read_class(file)
    assert [(test.name, test.outcome, test.ms) for test in found.tests.values()] == [
        ("one()", PASSED, 3)
    ]
    assert (found.ms, found.cpu_ms, found.agent, found.cut) == (5, 4, {"errors": 0}, "")


def test_the_test_during_which_the_jvm_ended_has_failed(tmp_path: Path) -> None:
    part = tmp_path / "T.jsonl.part"
    part.write_text(lines(
        {"type": "ended", **ONE, "outcome": "passed", "ms": 3, "detail": ""},
        {"type": "started", **TWO},
    ) + '{"type": "en')  # fmt: skip
    seal(part, "exit code 134")
    assert not part.exists()
    found = read_class(tmp_path / "T.jsonl")
    assert [(test.id, test.outcome, test.detail) for test in found.tests.values()] == [
        ("[one]", PASSED, ""),
        ("[two]", FAILED, "exit code 134"),
    ]
    assert found.cut == "exit code 134"


@pytest.mark.parametrize("text", ["not json\n", '{"type": "ended", "id": 1}\n', "{}\n"])
def test_a_file_of_another_form_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "T.jsonl"
    file.write_text(text)
    with pytest.raises(ValueError, match="not a line of test results"):
        read_class(file)
