import json
from pathlib import Path

import pytest

from insync.events import agent_log


def write(path: Path, *numbers: int, torn: bool = False) -> None:
    text = "".join(json.dumps({"n": number}) + "\n" for number in numbers)
    path.write_text(text.rstrip("\n}") if torn else text)


@pytest.fixture
def events(tmp_path: Path) -> Path:
    """A file with three parts, and another node's file."""
    file = tmp_path / "broker-1.jsonl"
    write(file, 5, 6)
    write(tmp_path / "broker-1.jsonl.1", 3, 4)
    write(tmp_path / "broker-1.jsonl.10", 1, 2)
    write(tmp_path / "broker-11.jsonl.1", 9)
    return file


def numbers(file: Path) -> list[int]:
    return [event["n"] for event in agent_log.read(file)]


def test_all_parts_are_read_the_oldest_first(events: Path) -> None:
    assert numbers(events) == [1, 2, 3, 4, 5, 6]


def test_a_part_whose_last_line_is_torn_does_not_spoil_the_next(events: Path) -> None:
    write(events.with_name("broker-1.jsonl.1"), 3, 4, torn=True)
    assert numbers(events) == [1, 2, 3, 5, 6]


def test_a_part_that_is_renamed_meanwhile_is_read_once(
    events: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent renames after the newest file was opened: then that file is also FILE.1."""
    opened = Path.open

    def renaming(path: Path, *args: object, **options: object) -> object:
        file = opened(path, *args, **options)  # type: ignore[call-overload]  # as it was called
        if path == events:
            for number in (10, 1):
                old = events.with_name(f"broker-1.jsonl.{number}")
                old.rename(old.with_suffix(f".{number + 1}"))
            events.rename(events.with_name("broker-1.jsonl.1"))
            write(events, 7)
        return file

    monkeypatch.setattr(Path, "open", renaming)
    assert numbers(events) == [1, 2, 3, 4, 5, 6]


def test_parts_are_put_together_in_one_file(events: Path) -> None:
    agent_log.join(events)
    assert numbers(events) == [1, 2, 3, 4, 5, 6]
    assert [json.loads(line)["n"] for line in events.read_text().splitlines()] == [1, 2, 3, 4, 5, 6]
    names = sorted(file.name for file in events.parent.iterdir())
    assert names == ["broker-1.jsonl", "broker-11.jsonl.1"]


def test_a_file_without_parts_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "broker-1.jsonl"
    agent_log.join(file)
    assert not file.exists()
    write(file, 1)
    before = file.stat().st_ino
    agent_log.join(file)
    assert file.stat().st_ino == before
