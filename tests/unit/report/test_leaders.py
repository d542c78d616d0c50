"""Leader changes in the report: in a sentence, at a mark, in a lane."""

import pytest

from insync.report.timeline.lanes import cells
from insync.report.timeline.timelines import (
    LeaderChange,
    Span,
    Timeline,
    change_in_short,
    changes_sentence,
)


def change(*, planned: bool = False, stepped_down: bool = False) -> LeaderChange:
    return LeaderChange(1, 2.5, 1, 3, planned=planned, stepped_down=stepped_down)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (change(), "broker 3 leads from 2.50 s on instead of broker 1"),
        (change(planned=True), "broker 3 leads from 2.50 s on instead of broker 1, as planned"),
        (
            change(stepped_down=True),
            "broker 3 leads from 2.50 s on instead of broker 1, which stepped down",
        ),
    ],
)
def test_a_change_names_the_new_and_the_previous_leader_and_the_reason(
    found: LeaderChange, words: str
) -> None:
    assert change_in_short(found) == words


def test_an_arm_counts_its_unplanned_leader_changes() -> None:
    assert changes_sentence([change(planned=True)]) == ""
    assert changes_sentence([change(stepped_down=True)]) == (
        " Leaders changed once, 1 of them by stepping down."
    )
    several = [change(stepped_down=True), change(), change(planned=True)]
    assert changes_sentence(several) == " Leaders changed 2 times, 1 of them by stepping down."


def test_a_change_is_marked_in_its_lane_at_its_time() -> None:
    spans = tuple(Span(lane, 1, (1, 2, 3), 3, 0.0, 10.0, "full") for lane in (0, 1))
    timeline = Timeline("step-down", 0, 10.0, True, spans, (), (), (), changes=(change(),))
    (drawn,) = cells([timeline])
    (mark,) = drawn.changes
    lane = next(bar for bar in drawn.bars if "partition 1" in bar.title)
    assert mark.y == lane.y
    assert lane.x < mark.x < lane.x + lane.width
