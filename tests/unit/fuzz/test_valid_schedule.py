"""A schedule is fair if Kafka must survive it and if each fault has something to act on."""

from typing import Any, Final

import pytest

from insync.fuzz.valid_schedule import is_valid_schedule
from insync.fuzz.values import BROKER
from insync.scenario.model import Scenario

LOSS: Final = {"kind": "link", "mode": "loss", "loss_percent": 30.0, "broker": 1, "peer": 2}
DELAY: Final = {"kind": "link", "mode": "delay", "delay_ms": 50, "broker": 1, "peer": 2}
CUT: Final = {"kind": "link", "mode": "cut", "broker": 2, "peer": 1}
QUEUE: Final = {"kind": "queue-stall"}
UPDATE: Final = {"kind": "config-update", "broker": 2, "settings": {"num.io.threads": "8"}}
STALL: Final = {"kind": "stall", "mode": "hold", "partitions": [0]}


def at(fault: dict[str, Any], at_ms: int, for_ms: int, **keys: Any) -> dict[str, Any]:
    return {**fault, "at_ms": at_ms, "for_ms": for_ms, **keys}


def fair(
    *faults: dict[str, Any],
    rate: int = 10,
    acks: str = "1",
    load: dict[str, Any] | None = None,
    **broker: Any,
) -> bool:
    scenario = {
        "schema": 1,
        "name": "made-up",
        "summary": "faults",
        "arms": ["stock"],
        "repeats": 1,
        "min_insync_replicas": 2,
        "broker": {**BROKER, **broker},
        "workload": {
            "leaders": [1],
            "rate_per_partition": rate,
            "record_bytes": 64,
            "acks": acks,
            **(load or {}),
        },
        "timeline": {"steady_ms": 500, "recover_ms": 1_500},
        "faults": sorted(faults, key=lambda fault: int(fault["at_ms"])),
    }
    return is_valid_schedule(Scenario.model_validate(scenario))


@pytest.mark.parametrize(("broker", "answers"), [(1, True), (2, False), (100, False)])
def test_nothing_is_asked_of_a_node_that_does_not_answer(broker: int, answers: bool) -> None:
    elect = {"kind": "elect", "broker": 2, "partitions": [0], "at_ms": 2_000}
    assert fair(elect, at({"kind": "kill", "broker": broker}, 500, 1_000)) == answers


@pytest.mark.parametrize("combined", [True, False])
def test_nothing_is_asked_of_brokers_one_of_which_is_a_silent_controller(combined: bool) -> None:
    elect = {"kind": "elect", "broker": 2, "partitions": [0], "at_ms": 2_000}
    freeze = at({"kind": "freeze", "broker": 3}, 500, 1_000)
    assert fair(elect, freeze, controllers=3, combined=combined) != combined


@pytest.mark.parametrize(("node", "acts"), [(1, True), (2, True), (3, True), (100, False)])
def test_a_controller_uses_too_little_cpu_time_to_wait_for_a_core(node: int, acts: bool) -> None:
    assert fair(at({"kind": "cpu-neighbour", "neighbours": 4, "broker": node}, 500, 1_000)) == acts


@pytest.mark.parametrize(("key", "acts"), [("read", False), ("write", True)])
def test_a_throttled_disk_is_written_and_hardly_read(key: str, acts: bool) -> None:
    throttle = {"kind": "disk-throttle", "broker": 1, f"{key}_bytes_per_s": 20_000}
    assert fair(at(throttle, 500, 2_000), rate=50) == acts
    assert not fair(at(throttle, 500, 600), rate=50), "an fsync comes every 400 ms"


@pytest.mark.parametrize(("leaders", "acts"), [([1], False), ([1, 2], True)])
def test_a_disk_gets_what_followers_fetch_or_producers_send(leaders: list[int], acts: bool) -> None:
    disk = at({"kind": "disk-stall", "mode": "hold", "broker": 2}, 1_100, 2_000)
    load = {"leaders": leaders}
    assert fair(disk, load=load)
    assert fair(at({**CUT, "broker": 2, "peer": 1}, 500, 4_000), disk, load=load) == acts


@pytest.mark.parametrize(("broker", "acts"), [(1, True), (3, False)])
def test_a_broken_link_needs_a_leader_at_one_end(broker: int, acts: bool) -> None:
    clients = {"kind": "client-link", "mode": "slow", "bytes_per_s": 90_000, "broker": broker}
    assert fair(at(clients, 500, 1_000)) == acts


@pytest.mark.parametrize(
    ("rate", "for_ms", "acts"), [(50, 1_200, True), (50, 1_000, False), (10, 5_000, False)]
)
def test_a_stall_of_fsyncs_is_as_long_as_several_take(rate: int, for_ms: int, acts: bool) -> None:
    stall = at({**STALL, "site": "fsync", "broker": 1}, 500, for_ms)
    assert fair(stall, rate=rate) == acts
    assert fair({**stall, "mode": "delay", "delay_ms": 100}, rate=rate), "one is enough"
    assert not fair(at({**stall, "mode": "delay", "delay_ms": 250}, 500, 600), rate=50)


@pytest.mark.parametrize(
    ("broker", "at_ms", "acts"), [(2, 1_500, False), (3, 1_500, True), (2, 3_500, True)]
)
def test_losses_need_traffic_all_the_time(broker: int, at_ms: int, acts: bool) -> None:
    assert fair(at(LOSS, 1_000, 2_000), at(QUEUE, at_ms, 1_000, broker=broker)) == acts


@pytest.mark.parametrize(
    ("begins_ms", "for_ms", "acts"),
    [(500, 4_000, False), (500, 400, True), (500, 800, True), (1_700, 2_000, True)],
)
def test_a_stall_needs_traffic_when_it_begins(begins_ms: int, for_ms: int, acts: bool) -> None:
    """Its leader hangs for all of its time, before it, for its first third, or later."""
    at_follower = at({**STALL, "site": "write", "broker": 2}, 1_000, 1_200)
    at_leader = at({**STALL, "site": "send", "broker": 1}, begins_ms, for_ms)
    assert fair(at_leader, at_follower) == acts


def test_a_link_that_was_cut_has_no_connection_for_a_while() -> None:
    assert not fair(at(CUT, 500, 500), at(DELAY, 1_200, 600))
    assert fair(at(CUT, 500, 500), at(DELAY, 2_500, 600))
    assert fair(at({**DELAY, "broker": 2, "peer": 1}, 500, 600), at(DELAY, 1_200, 600))


def test_a_delay_is_shorter_than_its_fault() -> None:
    assert not fair(at({**DELAY, "delay_ms": 400}, 500, 600))
    assert fair(at({**DELAY, "delay_ms": 400}, 500, 1_000))


@pytest.mark.parametrize(("acks", "acts"), [("1", True), ("all", False)])
def test_a_silent_replica_ends_appends_that_all_have_to_ack(acks: str, acts: bool) -> None:
    at_leader = at({**STALL, "site": "write", "broker": 1}, 1_500, 1_000)
    assert fair(at({"kind": "freeze", "broker": 3}, 600, 4_000), at_leader, acks=acks) == acts
    from_leader = {**CUT, "broker": 3, "peer": 1}
    assert fair(at(from_leader, 600, 4_000), at_leader, acks=acks) == acts


@pytest.mark.parametrize(("at_ms", "acts"), [(3_200, True), (1_500, False)])
@pytest.mark.parametrize("late", [{**CUT, "broker": 3}, {**STALL, "site": "write", "broker": 3}])
def test_appends_go_on_when_a_follower_that_lags_is_out_of_the_isr(
    late: dict[str, Any], at_ms: int, acts: bool
) -> None:
    """A leader may hang when a live follower is out of the ISR, and not before it is."""
    hung = at({**STALL, "site": "send", "broker": 1}, at_ms, 3_000)
    late = at(late, 500, 5_000)
    assert fair(late, hung, acks="all") == acts
    assert fair(late, hung, at(UPDATE, 700, 900), acks="all") == acts


@pytest.mark.parametrize(
    "third",
    [
        {"kind": "freeze", "broker": 2, "at_ms": 1_200, "for_ms": 2_000},
        {"kind": "freeze", "broker": 100, "at_ms": 1_200, "for_ms": 2_000},
        {"kind": "kill", "broker": 2, "at_ms": 1_200, "for_ms": 500},
        {"kind": "remove-replica", "broker": 2, "partitions": [0], "at_ms": 1_200, "for_ms": 2_000},
    ],
)
def test_appends_stop_where_another_fault_leaves_no_isr_for_them(third: dict[str, Any]) -> None:
    """The other follower is silent, or no controller takes the first one out of the ISR."""
    late = at({**STALL, "site": "write", "broker": 3}, 500, 5_000)
    hung = at({**STALL, "site": "send", "broker": 1}, 3_200, 3_000)
    assert fair(late, third, acks="all")
    assert not fair(late, hung, third, acks="all")


@pytest.mark.parametrize(("for_ms", "acts"), [(400, False), (1_000, True)])
def test_a_short_cpu_quota_may_meet_no_work(for_ms: int, acts: bool) -> None:
    quota = {"kind": "cpu-quota", "broker": 3, "quota_percent": 2.0}
    assert fair(at(quota, 1_000, for_ms)) == acts


@pytest.mark.parametrize(("broker", "acts"), [(1, False), (2, True)])
def test_a_clock_is_read_of_a_broker_that_answers(broker: int, acts: bool) -> None:
    jump = at({"kind": "clock-jump", "broker": broker, "by_ms": 9_000}, 3_000, 2_000)
    assert fair(at({**STALL, "site": "send", "broker": 1}, 500, 5_000), jump) == acts


@pytest.mark.parametrize(("at_ms", "acts"), [(1_100, False), (3_000, True)])
def test_a_leader_that_is_to_hang_in_reads_goes_on_leading(at_ms: int, acts: bool) -> None:
    sends = at({**STALL, "site": "send", "broker": 1}, 1_000, 900)
    assert fair(sends)
    assert fair(sends, {"kind": "elect", "broker": 2, "partitions": [0], "at_ms": at_ms}) == acts
    freeze = {"kind": "freeze", "broker": 2}
    assert fair(sends, at(freeze, at_ms, 1_000))
    assert fair(sends, at(freeze, at_ms, 1_000), at({**freeze, "broker": 3}, at_ms, 1_000)) == acts


@pytest.mark.parametrize(("for_ms", "acts"), [(400, False), (2_000, True)])
def test_a_short_stall_may_meet_nothing_behind_a_slow_disk(for_ms: int, acts: bool) -> None:
    slow = {"kind": "disk-stall", "broker": 1, "mode": "delay", "delay_ms": 200}
    reads = at({**STALL, "site": "read", "broker": 1}, 1_200, for_ms)
    assert fair(at(slow, 500, 4_000), reads) == acts


ANSWER: Final = {"kind": "answer", "broker": 1, "api": "Produce", "mode": "drop"}
ACTIVE: Final = 199
TRANSACTIONS: Final = {
    "coordinators": [3, 2], "per_second": 2, "records": 2, "timeout_ms": 4_000,
}  # fmt: skip
BOTH: Final = {"client": "both", "transactions": TRANSACTIONS, "producers_per_partition": 2}
COMMIT: Final = {"api": "OffsetCommit", "topic": "__consumer_offsets"}
GROUP: Final = {"groups": [{"members": 1}]}


@pytest.mark.parametrize(
    ("keys", "load", "acts"),
    [
        ({}, {}, True),
        ({"broker": 2}, {}, False),
        ({"from_call": 4}, {}, False),
        ({"mode": "delay", "delay_ms": 900, "from_call": 3}, {}, False),
        ({"api": "Fetch"}, {}, True),
        ({"api": "Fetch"}, {"read_from": 2}, False),
        ({"api": "Fetch", "broker": 2}, {"read_from": 2}, True),
        ({"api": "Fetch", "to": "brokers"}, {"read_from": 2}, True),
        ({"api": "OffsetCommit"}, {}, False),
        ({"api": "OffsetCommit"}, GROUP, False),
        (COMMIT, GROUP, True),
        ({**COMMIT, "broker": 2}, GROUP, False),
        (COMMIT, {"groups": [{"rejoin_every_ms": 1_500}]}, False),
        ({"api": "EndTxn", "broker": 3}, {"transactions": TRANSACTIONS}, True),
        ({"api": "EndTxn"}, {"transactions": TRANSACTIONS}, False),
        ({"api": "EndTxn", "broker": 3, "from_call": 2}, {"transactions": TRANSACTIONS}, False),
        ({"api": "WriteTxnMarkers", "to": "brokers"}, {"transactions": TRANSACTIONS}, True),
        ({"api": "WriteTxnMarkers", "to": "brokers"}, {}, False),
        ({"api": "BrokerHeartbeat", "to": "brokers", "broker": ACTIVE}, {}, True),
    ],
)
def test_an_answer_needs_calls_soon_enough(
    keys: dict[str, Any], load: dict[str, Any], acts: bool
) -> None:
    assert fair(at({**ANSWER, **keys}, 500, 1_900), load=load) == acts


@pytest.mark.parametrize(
    ("other", "acts"),
    [
        (at({"kind": "kill", "broker": 1}, 3_400, 900), True),  # it has acted by then
        (at({"kind": "kill", "broker": 1}, 2_400, 900), False),
        (at({"kind": "freeze", "broker": 1}, 500, 900), False),  # it no longer leads
        (at({"kind": "freeze", "broker": 2}, 500, 3_000), True),
        (at({"kind": "freeze", "broker": 100}, 500, 3_000), True),
        (at({**ANSWER, "mode": "reset"}, 500, 3_000), True),
        (at(ANSWER, 500, 3_000), False),
        ({"kind": "elect", "broker": 2, "partitions": [0], "at_ms": 4_000}, False),
    ],
)
def test_an_answer_needs_a_node_that_is_asked_until_it_has_acted(
    other: dict[str, Any], acts: bool
) -> None:
    assert fair(other, at({**ANSWER, "from_call": 2}, 2_300, 2_000)) == acts


@pytest.mark.parametrize(
    ("api", "acks", "acts"),
    [({}, "1", True), ({}, "all", False), (COMMIT, "1", False)],
)
def test_a_silent_replica_delays_answers_that_wait_for_it(
    api: dict[str, Any], acks: str, acts: bool
) -> None:
    freeze = at({"kind": "freeze", "broker": 3}, 600, 4_000)
    answer = at({**ANSWER, **api}, 1_500, 1_000)
    assert fair(answer, acks=acks, load=GROUP)
    assert fair(freeze, answer, acks=acks, load=GROUP) == acts


def test_an_answer_that_never_comes_leaves_others_without_traffic() -> None:
    sends = at({**STALL, "site": "send", "broker": 1}, 1_200, 2_000)
    assert not fair(at(ANSWER, 600, 3_000), sends)
    assert fair(at({**ANSWER, "mode": "error", "error": "REQUEST_TIMED_OUT"}, 600, 3_000), sends)


@pytest.mark.parametrize(
    ("other", "acts"),
    [
        ({"kind": "freeze", "broker": 100}, False),
        ({"kind": "quorum-link", "mode": "cut", "broker": 100}, False),
        ({"kind": "freeze", "broker": 1}, True),
    ],
)
def test_what_is_at_the_active_controller_may_be_at_any(other: dict[str, Any], acts: bool) -> None:
    cut = at({"kind": "quorum-link", "mode": "cut", "broker": ACTIVE}, 1_000, 1_000)
    assert fair(at(other, 600, 1_000), cut, controllers=3) == acts
    heartbeats = {**ANSWER, "api": "BrokerHeartbeat", "to": "brokers", "broker": ACTIVE}
    assert fair(at(other, 1_600, 1_000), at(heartbeats, 1_000, 1_000), controllers=3) == acts


@pytest.mark.parametrize("broker", [100, ACTIVE])
def test_nothing_is_asked_while_controllers_may_have_no_majority(broker: int) -> None:
    cut = at({"kind": "quorum-link", "mode": "cut", "broker": broker}, 500, 2_000)
    elect = {"kind": "elect", "broker": 2, "partitions": [0], "at_ms": 2_000}
    assert fair(cut, controllers=3)
    assert not fair(cut, elect, controllers=3)


@pytest.mark.parametrize(
    ("keys", "acts"),
    [
        ({}, True),
        ({"broker": 1}, False),
        ({"site": "read"}, False),
        ({"at_ms": 1_100}, False),
        ({"for_ms": 1_000}, False),
        ({"partitions": [1]}, False),
    ],
)
def test_a_reassignment_is_cancelled_while_a_stall_keeps_it_in_progress(
    keys: dict[str, Any], acts: bool
) -> None:
    add = {"kind": "add-replica", "broker": 2, "partitions": [0], "cancel": True}
    load = {"leaders": [1, 2] if keys.get("site") == "read" else [1, 1]}
    stall = at({**STALL, "site": "write", "broker": 2}, 900, 3_000)
    stall |= {"partitions": [1]} if keys.get("site") == "read" else {}
    assert fair({**stall, **keys}, at(add, 1_000, 2_000), load=load) == acts
    assert not fair(at(add, 1_000, 2_000), load=load)


@pytest.mark.parametrize(
    ("broker", "load", "acts"),
    [
        (2, BOTH, True),
        (3, BOTH, False),
        (2, {**BOTH, "client": "java"}, False),
        (2, {**BOTH, "producers_per_partition": 1}, False),
    ],
)
def test_clients_freeze_in_a_transaction_of_the_java_client_beside_others(
    broker: int, load: dict[str, Any], acts: bool
) -> None:
    freeze = at({"kind": "client-freeze", "broker": broker}, 500, 6_000)
    assert fair(freeze, load=load) == acts
    ends = at({**ANSWER, "api": "EndTxn", "broker": 3}, 600, 2_000)
    assert not fair(freeze, ends, load=load)
    assert fair(ends, load=load)


@pytest.mark.parametrize(
    ("fault", "acts"),
    [
        (at({"kind": "freeze", "broker": 1}, 600, 1_000), False),
        (at(CUT, 600, 3_000), False),
        (at(CUT, 600, 1_000), True),
        (at({**ANSWER, "mode": "reset"}, 600, 3_000), True),
        (at(UPDATE, 600, 3_000), True),
    ],
)
def test_a_transaction_that_clients_freeze_in_can_begin(fault: dict[str, Any], acts: bool) -> None:
    """None is open while a replica of one of its partitions does not answer."""
    freeze = at({"kind": "client-freeze", "broker": 2}, 2_000, 6_000)
    assert fair(fault, freeze, load=BOTH) == acts
