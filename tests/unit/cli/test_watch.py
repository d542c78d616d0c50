"""The table that `insync watch` prints, and the input that it refuses."""

import io

import pytest
from rich.console import Console

from commands import invoke_refused
from insync.analysis.tables.streaming.watch import Picture
from insync.cli.watch_table import draw

REPEAT = {
    "run": "kip-501-1", "arm": "stock", "repeat": 0, "topic": "kip-501-r0", "start_ms": 1e12,
    "seen_ms": 12_345.0, "complete": False, "holds": 2, "longest_hold_ms": 4_999.6, "shrinks": 1,
    "under_min_isr_ms": 1_500.0, "at_min_isr_ms": 0.0, "offline_ms": None,
}  # fmt: skip
SITE = {
    "run": "kip-501-1", "arm": "stock", "repeat": 0, "broker": 1, "site": None, "holds": 2,
    "median_ms": 10.0, "longest_ms": 4_999.6,
}  # fmt: skip
SHRINK = {
    "run": "kip-501-1", "arm": "stock", "repeat": 0, "partition": 3, "t_ms": 1e12, "leader": 1,
    "removed": [2, 3], "cause": "leader: read stall",
}  # fmt: skip


def rendered(picture: Picture) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(draw(picture))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_an_unfinished_repeat_shows_what_is_known_so_far() -> None:
    text = rendered(
        Picture("insync-events", 7, 120, 3, ["a problem"], [dict(REPEAT)], [SITE], [SHRINK])
    )
    assert "insync-events: 120 lines, 7 new records, 3 records of unknown runs" in text
    row = next(line for line in text.splitlines() if "kip-501-1" in line)
    expected = "kip-501-1 stock kip-501-r0 … 12.3 2 5000 1 1.5 s 0.0 s -"
    assert row.split() == expected.split()
    assert "no fault" in text
    assert "3 led by 1" in text
    assert "a problem" in text


def test_without_events_the_table_is_empty() -> None:
    text = rendered(Picture("insync-events", 0, 0, 0, [], [], [], []))
    assert "insync-events: 0 lines" in text
    assert "last shrinks" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["watch"], "Missing option '--bootstrap'"),
        (["watch", "--bootstrap", "x:1", "--interval", "0"], "--interval 0: expected seconds"),
        (["watch", "--bootstrap", "x:1", "--min-isr", "0"], "--min-isr 0: expected 1 or more"),
        (["watch", "--bootstrap", "x:1", "--json"], "--json: expected --once with it"),
        (["run", "control", "--events-bootstrap", "x:1"], "expected --events-topic with it"),
        (["run", "control", "--events-topic", "a b"], "--events-topic 'a b': expected letters"),
    ],
)
def test_bad_input_gives_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in invoke_refused(capsys, *arguments)
