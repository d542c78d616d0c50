"""A schedule is valid if Kafka must survive it and if each fault has something to act on."""

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


ELECT: Final = {"kind": "elect", "broker": 2, "partitions": [0], "at_ms": 2_000}
KILL: Final = {"kind": "kill", "broker": 1}
FREEZE: Final = {"kind": "freeze", "broker": 3}
READ: Final = {**STALL, "site": "read", "broker": 1}
SEND: Final = {**STALL, "site": "send", "broker": 1}
WRITE: Final = {**STALL, "site": "write", "broker": 1}
FSYNC: Final = {**STALL, "site": "fsync", "broker": 1}
FSYNC_LATE: Final = {**FSYNC, "mode": "delay", "delay_ms": 100}
THROTTLE: Final = {"kind": "disk-throttle", "broker": 1, "write_bytes_per_s": 20_000}
READ_THROTTLE: Final = {"kind": "disk-throttle", "broker": 1, "read_bytes_per_s": 20_000}
DISK: Final = at({"kind": "disk-stall", "mode": "hold", "broker": 2}, 1_100, 2_000)
SLOW_DISK: Final = at(
    {"kind": "disk-stall", "broker": 1, "mode": "delay", "delay_ms": 200}, 500, 4_000
)
NEIGHBOUR: Final = {"kind": "cpu-neighbour", "neighbours": 4}
QUOTA: Final = {"kind": "cpu-quota", "broker": 3, "quota_percent": 2.0}
CLIENTS: Final = {"kind": "client-link", "mode": "slow", "bytes_per_s": 90_000}
JUMP: Final = {"kind": "clock-jump", "by_ms": 9_000}
ANSWER: Final = {"kind": "answer", "broker": 1, "api": "Produce", "mode": "drop"}
ACTIVE: Final = 199
CONTROL: Final = {"kind": "controller-link", "mode": "delay", "broker": 3}
QUORUM: Final = {"kind": "quorum-link", "mode": "cut", "broker": ACTIVE}
HEARTBEATS: Final = {**ANSWER, "api": "BrokerHeartbeat", "to": "brokers", "broker": ACTIVE}
TRANSACTIONS: Final = {
    "coordinators": [3, 2], "per_second": 2, "records": 2, "timeout_ms": 4_000,
}  # fmt: skip
BOTH: Final = {"client": "both", "transactions": TRANSACTIONS, "producers_per_partition": 2}
COMMIT: Final = {"api": "OffsetCommit", "topic": "__consumer_offsets"}
GROUP: Final = {"groups": [{"members": 1}]}
ADD: Final = at(
    {"kind": "add-replica", "broker": 2, "partitions": [0], "cancel": True}, 1_000, 2_000
)
HELD: Final = at({**WRITE, "broker": 2}, 900, 3_000)
LATE: Final = at({**WRITE, "broker": 3}, 500, 5_000)
CLIENT_FREEZE: Final = at({"kind": "client-freeze", "broker": 2}, 500, 6_000)
ENDS: Final = at({**ANSWER, "api": "EndTxn", "broker": 3}, 600, 2_000)
ALL: Final = {"acks": "all"}

CASES: Final[dict[str, list[tuple[bool, list[dict[str, Any]], dict[str, Any]]]]] = {
    "nothing is asked of a node that does not answer": [
        (broker == 1, [ELECT, at({**KILL, "broker": broker}, 500, 1_000)], {})
        for broker in (1, 2, 100)
    ],
    "nothing is asked of brokers one of which is a silent controller": [
        (not combined, [ELECT, at(FREEZE, 500, 1_000)], {"controllers": 3, "combined": combined})
        for combined in (True, False)
    ],
    "a controller uses too little CPU time to wait for a core": [
        (node != 100, [at({**NEIGHBOUR, "broker": node}, 500, 1_000)], {})
        for node in (1, 2, 3, 100)
    ],
    "a throttled disk is written and hardly read, and an fsync comes every 400 ms": [
        (True, [at(THROTTLE, 500, 2_000)], {"rate": 50}),
        (False, [at(THROTTLE, 500, 600)], {"rate": 50}),
        *(
            (False, [at(READ_THROTTLE, 500, for_ms)], {"rate": 50})
            for for_ms in (600, 2_000)
        ),
    ],
    "a disk gets what followers fetch or producers send": [
        (True, [DISK], {}),
        (True, [DISK], {"load": {"leaders": [1, 2]}}),
        (False, [at(CUT, 500, 4_000), DISK], {}),
        (True, [at(CUT, 500, 4_000), DISK], {"load": {"leaders": [1, 2]}}),
    ],
    "a broken link needs a leader at one end": [
        (broker == 1, [at({**CLIENTS, "broker": broker}, 500, 1_000)], {}) for broker in (1, 3)
    ],
    "configs of a broker are updated once": [
        (broker != 2, [at(UPDATE, 500, 900), at(UPDATE, 800, 900, broker=broker)], {})
        for broker in (2, 3)
    ],
    "a link is delayed for longer than a message is": [
        (acts, [at({**CONTROL, "delay_ms": 349}, 500, for_ms)], {})
        for for_ms, acts in ((326, False), (900, True))
    ],
    "a stall of fsyncs is as long as several take, a delay as long as one": [
        (True, [at(FSYNC, 500, 1_200)], {"rate": 50}),
        (False, [at(FSYNC, 500, 1_000)], {"rate": 50}),
        (False, [at(FSYNC, 500, 5_000)], {"rate": 10}),
        (True, [at(FSYNC_LATE, 500, 1_000)], {"rate": 50}),
        (True, [at(FSYNC_LATE, 500, 5_000)], {"rate": 10}),
        (False, [at({**FSYNC_LATE, "delay_ms": 250}, 500, 600)], {"rate": 50}),
    ],
    "losses need traffic all the time": [
        (False, [at(LOSS, 1_000, 2_000), at(QUEUE, 1_500, 1_000, broker=2)], {}),
        (True, [at(LOSS, 1_000, 2_000), at(QUEUE, 1_500, 1_000, broker=3)], {}),
        (True, [at(LOSS, 1_000, 2_000), at(QUEUE, 3_500, 1_000, broker=2)], {}),
    ],
    "a stall needs traffic when it begins: not all of its time, nor its first third": [
        (acts, [at(SEND, at_ms, for_ms), at({**WRITE, "broker": 2}, 1_000, 1_200)], {})
        for at_ms, for_ms, acts in (
            (500, 4_000, False), (500, 400, True), (500, 800, True), (1_700, 2_000, True),
        )
    ],
    "a link that was cut has no connection for a while": [
        (False, [at(CUT, 500, 500), at(DELAY, 1_200, 600)], {}),
        (True, [at(CUT, 500, 500), at(DELAY, 2_500, 600)], {}),
        (True, [at({**DELAY, "broker": 2, "peer": 1}, 500, 600), at(DELAY, 1_200, 600)], {}),
    ],
    "a delay is shorter than its fault": [
        (False, [at({**DELAY, "delay_ms": 400}, 500, 600)], {}),
        (True, [at({**DELAY, "delay_ms": 400}, 500, 1_000)], {}),
    ],
    "a silent replica ends appends that all have to ack": [
        (acks == "1", [at(silent, 600, 4_000), at(WRITE, 1_500, 1_000)], {"acks": acks})
        for acks in ("1", "all")
        for silent in (FREEZE, {**CUT, "broker": 3, "peer": 1})
    ],
    "a leader may hang when a live follower that lags is out of the ISR, and not before it is": [
        (at_ms == 3_200, [at(late, 500, 5_000), at(SEND, at_ms, 3_000), *more], ALL)
        for late in ({**CUT, "broker": 3}, {**WRITE, "broker": 3})
        for at_ms in (3_200, 1_500)
        for more in ([], [at(UPDATE, 700, 900)])
    ],
    "appends stop where another fault leaves no ISR for them, or no controller to shrink it": [
        (not hung, [LATE, third, *hung], ALL)
        for third in (
            at({**FREEZE, "broker": 2}, 1_200, 2_000),
            at({**FREEZE, "broker": 100}, 1_200, 2_000),
            at({**KILL, "broker": 2}, 1_200, 500),
            at({"kind": "remove-replica", "broker": 2, "partitions": [0]}, 1_200, 2_000),
        )
        for hung in ([], [at(SEND, 3_200, 3_000)])
    ],
    "a short CPU quota may meet no work": [
        (for_ms == 1_000, [at(QUOTA, 1_000, for_ms)], {}) for for_ms in (400, 1_000)
    ],
    "a clock is read of a broker that answers": [
        (broker == 2, [at(SEND, 500, 5_000), at({**JUMP, "broker": broker}, 3_000, 2_000)], {})
        for broker in (1, 2)
    ],
    "a leader that is to hang in reads goes on leading": [
        (True, [at(SEND, 1_000, 900)], {}),
        (False, [at(SEND, 1_000, 900), {**ELECT, "at_ms": 1_100}], {}),
        (True, [at(SEND, 1_000, 900), {**ELECT, "at_ms": 3_000}], {}),
        *(
            (valid, [at(SEND, 1_000, 900), *(at({**FREEZE, "broker": each}, at_ms, 1_000)
                     for each in silent)], {})
            for at_ms, silent, valid in (
                (1_100, [2], True), (3_000, [2], True), (1_100, [2, 3], False),
                (3_000, [2, 3], True),
            )
        ),
    ],
    "a short stall may meet nothing behind a slow disk": [
        (for_ms == 2_000, [SLOW_DISK, at(READ, 1_200, for_ms)], {}) for for_ms in (400, 2_000)
    ],
    "an answer needs calls soon enough": [
        (valid, [at({**ANSWER, **keys}, 500, 1_900)], {"load": load})
        for keys, load, valid in (
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
        )
    ],
    "an answer needs a node that is asked until it has acted, and goes on leading": [
        (valid, [other, at({**ANSWER, "from_call": 2}, 2_300, 2_000)], {})
        for other, valid in (
            (at(KILL, 3_400, 900), True),
            (at(KILL, 2_400, 900), False),
            (at({**FREEZE, "broker": 1}, 500, 900), False),
            (at({**FREEZE, "broker": 2}, 500, 3_000), True),
            (at({**FREEZE, "broker": 100}, 500, 3_000), True),
            (at({**ANSWER, "mode": "reset"}, 500, 3_000), True),
            (at(ANSWER, 500, 3_000), False),
            ({**ELECT, "at_ms": 4_000}, False),
        )
    ],
    "a silent replica delays answers that wait for it": [
        (valid, [*silent, at({**ANSWER, **api}, 1_500, 1_000)], {"acks": acks, "load": GROUP})
        for api, acks, waits in (({}, "1", False), ({}, "all", True), (COMMIT, "1", True))
        for silent, valid in (([], True), ([at(FREEZE, 600, 4_000)], not waits))
    ],
    "an answer that never comes leaves others without traffic": [
        (False, [at(ANSWER, 600, 3_000), at(SEND, 1_200, 2_000)], {}),
        (True, [at({**ANSWER, "mode": "error", "error": "REQUEST_TIMED_OUT"}, 600, 3_000),
                at(SEND, 1_200, 2_000)], {}),
    ],
    "what is at the active controller may be at any": [
        case
        for other, valid in (
            ({**FREEZE, "broker": 100}, False),
            ({**QUORUM, "broker": 100}, False),
            ({**FREEZE, "broker": 1}, True),
        )
        for case in (
            (valid, [at(other, 600, 1_000), at(QUORUM, 1_000, 1_000)], {"controllers": 3}),
            (valid, [at(other, 1_600, 1_000), at(HEARTBEATS, 1_000, 1_000)], {"controllers": 3}),
        )
    ],
    "nothing is asked while controllers may have no majority": [
        (not asked, [at({**QUORUM, "broker": broker}, 500, 2_000), *asked], {"controllers": 3})
        for broker in (100, ACTIVE)
        for asked in ([], [ELECT])
    ],
    "a reassignment is cancelled while a stall of the new replica's writes holds it up": [
        (False, [ADD], {"load": {"leaders": [1, 1]}}),
        (True, [HELD, ADD], {"load": {"leaders": [1, 1]}}),
        *(
            (False, [{**HELD, **keys}, ADD], {"load": {"leaders": [1, 1]}})
            for keys in (
                {"broker": 1}, {"at_ms": 1_100}, {"for_ms": 1_000}, {"partitions": [1]},
            )
        ),
        (False, [{**HELD, "site": "read", "partitions": [1]}, ADD], {"load": {"leaders": [1, 2]}}),
    ],
    "clients freeze in a transaction of the Java client beside others": [
        (True, [CLIENT_FREEZE], {"load": BOTH}),
        (False, [{**CLIENT_FREEZE, "broker": 3}], {"load": BOTH}),
        (False, [CLIENT_FREEZE], {"load": {**BOTH, "client": "java"}}),
        (False, [CLIENT_FREEZE], {"load": {**BOTH, "producers_per_partition": 1}}),
        (False, [CLIENT_FREEZE, ENDS], {"load": BOTH}),
        (True, [ENDS], {"load": BOTH}),
    ],
    "a transaction that clients freeze in can begin: all replicas of its partitions answer": [
        (valid, [fault, {**CLIENT_FREEZE, "at_ms": 2_000}], {"load": BOTH})
        for fault, valid in (
            (at({**FREEZE, "broker": 1}, 600, 1_000), False),
            (at(CUT, 600, 3_000), False),
            (at(CUT, 600, 1_000), True),
            (at({**ANSWER, "mode": "reset"}, 600, 3_000), True),
            (at(UPDATE, 600, 3_000), True),
        )
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("valid", "faults", "keys"),
    [
        pytest.param(*case, id=f"{says}, {number}")
        for says, cases in CASES.items()
        for number, case in enumerate(cases, 1)
    ],
)
def test_each_fault_can_act_and_kafka_must_survive(
    valid: bool, faults: list[dict[str, Any]], keys: dict[str, Any]
) -> None:
    assert fair(*faults, **keys) == valid
