"""What the controller's log and the brokers' roles say."""

from insync.why.facts import Facts
from insync.why.sources.agent_lines import add_agent_lines
from insync.why.sources.controller_lines import add_controller_lines, add_lives, merge_drops
from unit.why.made_up import ONE, ZERO, empty, ended, fenced, fenced_line, isr_line, shrink, started


def read(*lines: dict[str, object]) -> Facts:
    facts = empty()
    add_controller_lines(facts, lines)
    return facts


FULL = isr_line(-500, ZERO, 1, 1, 2, 3)
WITHOUT_3 = isr_line(9_000, ZERO, 1, 1, 2)
FENCED_3 = fenced_line(9_000, 3, fenced=True)


def test_a_follower_that_leaves_the_isr_was_dropped_by_the_leader() -> None:
    facts = read(FULL, WITHOUT_3)
    (dropped,) = facts.dropped
    assert (dropped.leader, dropped.follower, dropped.fenced) == (1, 3, False)
    assert [(each.leader, each.since_ms) for each in facts.leads] == [(1, -500), (1, 9_000)]


def test_a_leader_that_steps_down_was_not_dropped() -> None:
    assert read(FULL, isr_line(9_000, ZERO, 2, 2, 3)).dropped == []


def test_a_replica_that_is_reassigned_was_not_dropped() -> None:
    assert read(FULL, {**WITHOUT_3, "replicas": [1, 2]}).dropped == []


def test_a_broker_that_is_fenced_leaves_isrs_by_that() -> None:
    facts = read(FULL, FENCED_3, WITHOUT_3, fenced_line(14_000, 3, fenced=False))
    assert [each.fenced for each in facts.dropped] == [True]
    assert facts.fenced == [fenced(3, 9_000, 14_000)]


def test_a_broker_that_was_dropped_before_it_was_fenced_was_dropped_by_its_leader() -> None:
    facts = read(FULL, {**WITHOUT_3, "t_ms": 8_500}, FENCED_3)
    assert [each.fenced for each in facts.dropped] == [False]


def test_a_broker_that_stays_fenced_is_fenced_until_the_end() -> None:
    assert read(FENCED_3).fenced == [fenced(3, 9_000, 60_000)]


def test_the_leaders_view_is_added_to_a_drop_and_a_refused_one_is_left_out() -> None:
    facts = read(FULL, WITHOUT_3)
    lines = [*started(1), shrink(8_990, ZERO, 1, 3, 6_000), shrink(20_000, ONE, 1, 3, 17_000)]
    add_agent_lines(facts, 1, lines)
    merge_drops(facts)
    (dropped,) = facts.dropped
    assert (dropped.partition, dropped.unseen_ms) == (ZERO, 2_990)


def test_without_the_controllers_log_the_leaders_word_counts() -> None:
    facts = empty()
    add_agent_lines(facts, 1, [*started(1), shrink(8_990, ZERO, 1, 3, 6_000)])
    merge_drops(facts)
    assert len(facts.dropped) == 1


def test_lines_that_are_not_as_they_must_be_are_counted() -> None:
    broken = [{"kind": "partition", "t_ms": 5.0}, {"kind": "broker", "t_ms": "x"}, {"t_ms": 1.0}]
    facts = read(*broken, FULL)
    assert (facts.unreadable, len(facts.leads)) == (3, 1)


LIVES = [{"broker": 3, "life": 1, "t_ms": -900.0}, {"broker": 3, "life": 2, "t_ms": 14_100.0}]


def test_a_second_life_shows_that_the_first_one_ended() -> None:
    facts = read(FENCED_3, fenced_line(14_000, 3, fenced=False))
    add_lives(facts, LIVES)
    assert facts.ended == [ended(3, -900, 14_100)]


def test_an_agent_knows_more_of_its_brokers_life_than_the_roles() -> None:
    facts = read(FENCED_3)
    add_agent_lines(facts, 3, started(3))
    add_lives(facts, LIVES)
    assert facts.ended == []
