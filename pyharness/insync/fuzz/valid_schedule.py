"""Say whether a schedule of faults is valid: Kafka must survive it, and every fault can act.

A fault that another one keeps from acting leaves no evidence, and then its seed shows nothing.
"""

from collections.abc import Collection, Sequence
from typing import Final

from insync.faults.kinds.network.answer import Answer
from insync.faults.registry import tags_of
from insync.faults.spec import INTERNAL, Planned
from insync.fuzz.values import BROKER, LOSES_DATA, OFFSETS
from insync.nodes import ACTIVE_CONTROLLER, BROKERS, CONTROLLER_ID
from insync.scenario.model import Scenario

RESTART_MS: Final = 12_000
"""For how long after a process was started again nothing is asked of it."""
CONNECTS_MS: Final = 1_000
"""How long after a link was cut there may be no connection on it."""
SETTLE_MS: Final = 3_000
REPLICATION_ONLY: Final = frozenset({"link"})
"""Kinds that leave the connections of clients and of the controller alone."""
AT_A_LEADER: Final = frozenset({"link", "client-link"})
"""Kinds that act only where one of their nodes leads a partition: others have little traffic."""
READ_ERROR: Final = "read-error"
"""It acts only at the leaders of its partitions. After it a former leader does not come back by
itself: where a read fails while it truncates its log, Kafka gives the partition up at that broker
until it is started again."""
FORWARDING: Final = "controller-link"
"""It keeps any broker from forwarding a request to the controller."""
NEEDS_TRAFFIC: Final = frozenset(
    {
        "stall", "disk-stall", "disk-throttle", "link", "client-link", "quorum-link",
        "queue-stall", "read-error",
    }
)  # fmt: skip
"""Kinds that act on what nodes read, write or send, and so not where nothing is."""
NEEDS_APPENDS: Final = frozenset({"stall", "disk-stall", "disk-throttle"})
"""Kinds that act on records. With acks=all any broker that is silent ends the appends of all
partitions until it is out of their ISRs, because every broker has a replica of each."""
CALLS_MS: Final = {"EndTxn": 1_000, "WriteTxnMarkers": 1_000}
CALL_MS: Final = 500
"""How long at most between two calls of an API that an `answer` is for."""
OF_GROUPS_OR_TRANSACTIONS: Final = frozenset({"OffsetCommit", *CALLS_MS})
"""APIs whose calls a `client-freeze` may end, and that answer when the ISR has what they write."""
CONTROLLERS: Final = frozenset({CONTROLLER_ID, ACTIVE_CONTROLLER})
LEAVES_ISR_MS: Final[int] = BROKER["replica_lag_time_max_ms"] * 3 // 2 + 500
"""After what time a follower that is not served is out of the ISR, and appends go on without it."""
LAGS: Final = frozenset({"stall", "link"})
"""Kinds at a follower for which that time holds: its broker lives, and so does every controller."""
FETCHES_MS: Final = 500
"""After what time a follower fetches again, whether or not there are records."""
QUOTA_MS: Final = 1_000
"""A shorter `cpu-quota` does not show that it acted: a broker may just use little CPU time."""
OF_LEADERS: Final = frozenset({"read", "send"})
"""Sites at which only the leader of a partition hangs, because only it serves reads."""
PASSES: Final = frozenset({"delay", "slow", "loss", "reset", "error"})
"""Modes in which traffic goes on."""
SILENT_SHARE: Final = 0.3
"""For how much of its time, from its beginning on, a fault may have no traffic to act on."""


def is_valid_schedule(scenario: Scenario) -> bool:
    """Whether Kafka must survive the faults, and whether each of them can act.

    A replica may be lost only where nothing else harms another one, and reads may fail only where
    no leader changes (`READ_ERROR`). What the harness asks of a broker or of the controller, such
    as an election, needs one that answers.
    """
    faults, leaders = scenario.faults, scenario.workload.leaders
    if not all(_can_act(fault, scenario) for fault in faults):
        return False
    harmful = [fault for fault in faults if not tags_of(fault).harmless]
    if any(_is_hidden(fault, other, scenario) for fault in harmful for other in harmful):
        return False
    if any(_loses_its_readers(fault, scenario) for fault in harmful):
        return False
    if len(harmful) > 1 and any(fault.kind in LOSES_DATA | {READ_ERROR} for fault in harmful):
        return False
    elected = [each for fault in faults for each in fault.elected]
    sticks = any(fault.kind == READ_ERROR for fault in harmful)
    if len(set(elected)) < len(elected) or (elected and sticks):
        return False
    updated = [fault.broker for fault in faults if fault.kind == "config-update"]
    if len(set(updated)) < len(updated):
        return False  # what one sets may need what the other takes back
    asked = [fault for fault in faults if tags_of(fault).harmless]
    controllers = set(range(1, BROKERS + 1)) if scenario.broker.combined else {CONTROLLER_ID}
    return not any(
        _is_silent_for(fault, request, leaders, controllers)
        for request in asked
        for fault in harmful
    )


def _can_act(fault: Planned, scenario: Scenario) -> bool:
    """Whether a fault alone has something to act on, such as the reads of a leader."""
    leaders = scenario.workload.leaders
    if fault.kind == "cpu-neighbour" and CONTROLLER_ID in fault.nodes:
        return False  # a controller uses too little CPU time to wait for a core
    if fault.kind == FORWARDING and scenario.broker.controllers > 1:
        return False  # no seed had it
    if fault.kind == "disk-throttle" and getattr(fault, "write_bytes_per_s", None) is None:
        return False  # what a broker reads here is in the page cache
    if fault.kind == READ_ERROR:
        return {leaders[each] for each in _partitions(fault)} <= fault.nodes
    if getattr(fault, "site", "") == "fsync" or fault.kind == "disk-throttle":
        # There is one fsync per so many records. Evidence is that one hangs for half of the time,
        # or for its whole delay.
        every_ms: float = (
            1_000 * BROKER["log_flush_interval_messages"] / scenario.workload.rate_per_partition
        )
        delay_ms = getattr(fault, "delay_ms", 0)
        return fault.end_ms - fault.at_ms >= (every_ms + delay_ms if delay_ms else 3 * every_ms)
    if fault.kind == "cpu-quota" and fault.end_ms - fault.at_ms < QUOTA_MS:
        return False
    if fault.cancelled and not any(_keeps(other, fault) for other in scenario.faults):
        return False
    if isinstance(fault, Answer):
        return fault.for_ms >= _acts_within_ms(fault) and _is_asked(fault, scenario)
    if fault.kind == "client-freeze":
        own = scenario.workload.transactions
        ours = own.coordinators[1::2] if own and scenario.workload.client == "both" else ()
        return fault.broker in ours and scenario.workload.producers_per_partition > 1
    delay_ms = getattr(fault, "delay_ms", None) or 0
    if fault.kind.endswith("link") and fault.end_ms - fault.at_ms < delay_ms + FETCHES_MS:
        return False
    return fault.kind not in AT_A_LEADER or bool(fault.nodes & set(leaders))


def _keeps(fault: Planned, request: Planned) -> bool:
    """Whether a fault keeps a reassignment in progress until that is cancelled."""
    return (
        getattr(fault, "site", "") == "write"
        and fault.broker == request.broker
        and set(request.cancelled) <= set(_partitions(fault))
        and fault.at_ms <= request.at_ms
        and fault.end_ms > request.end_ms
    )


def _acts_within_ms(fault: Answer) -> int:
    return fault.from_call * CALLS_MS.get(fault.api, CALL_MS) + fault.delay_ms


def _is_asked(fault: Answer, scenario: Scenario) -> bool:
    """Whether somebody calls the API of its node again and again."""
    workload = scenario.workload
    coordinators = workload.transactions.coordinators if workload.transactions else ()
    if fault.at_controller:
        return True
    frozen = any(other.kind == "client-freeze" for other in scenario.faults)
    if fault.api in OF_GROUPS_OR_TRANSACTIONS and frozen:
        return False
    if fault.api == "OffsetCommit":
        placed = fault.topic == OFFSETS and fault.broker in INTERNAL[OFFSETS]
        return placed and any(not each.rejoin_every_ms for each in workload.groups)
    if fault.api == "EndTxn" or (fault.api == "WriteTxnMarkers" and not coordinators):
        return fault.broker in coordinators
    if fault.api == "Fetch" and fault.to == "clients" and workload.read_from:
        return fault.broker == workload.read_from
    moved = {each for other in scenario.faults for each in other.elected}
    return any(
        leader == fault.broker and number not in moved
        for number, leader in enumerate(workload.leaders)
    )


def _is_hidden(fault: Planned, other: Planned, scenario: Scenario) -> bool:
    """Whether another fault, from before a fault on, keeps away what it acts on."""
    loses = getattr(fault, "mode", "") == "loss"
    if fault is other:
        return False
    if fault.kind == "quorum-link" or ACTIVE_CONTROLLER in fault.nodes:
        # The node of either may be the other's.
        apart = other.at_ms >= _ends_ms(fault) or fault.at_ms >= _ends_ms(other)
        if _nodes(fault) & _nodes(other) and not apart:
            return True
    if isinstance(fault, Answer) and not _passes(fault, other):
        soon = other.at_ms < fault.at_ms + _acts_within_ms(fault)
        may_move = bool(_nodes(fault) & _nodes(other))  # leaders, for the rest of the repeat
        return soon and (may_move or _silent_until(fault, other, scenario) > fault.at_ms)
    at_once = fault.at_ms < other.end_ms and other.at_ms < fault.end_ms
    if at_once and tags_of(other).kills and _nodes(fault) == _nodes(other):
        return True
    if fault.kind == "clock-jump" and other.kind not in REPLICATION_ONLY:
        ends = _ends_ms(other)  # the clock is read before and after it
        meets = other.at_ms <= fault.end_ms + SETTLE_MS and fault.at_ms <= ends
        return meets and bool(_nodes(other) & _nodes(fault)) and not _passes(fault, other)
    if fault.kind not in NEEDS_TRAFFIC or _passes(fault, other):
        return False
    until = _silent_until(fault, other, scenario)
    if until <= fault.at_ms or other.at_ms >= fault.end_ms:
        return False
    may_wait_ms = SILENT_SHARE * (fault.end_ms - fault.at_ms)
    begins_silent = other.at_ms <= fault.at_ms + min(may_wait_ms, FETCHES_MS)
    # Losses are random: they may come late.
    return loses or (begins_silent and until > fault.at_ms + may_wait_ms)


def _passes(fault: Planned, other: Planned) -> bool:
    """Whether traffic goes on under another fault, often enough for a fault to meet some."""
    mode = getattr(other, "mode", "")
    if mode == "delay" or isinstance(other, Answer):
        delay_ms: int = getattr(other, "delay_ms", 0)
        return mode in PASSES and fault.end_ms - fault.at_ms >= FETCHES_MS + 2 * delay_ms
    return mode in PASSES or other.kind == "clock-jump"


def _loses_its_readers(fault: Planned, scenario: Scenario) -> bool:
    """Whether nobody reads from the leader that a fault lets hang: others elect or fall silent."""
    if getattr(fault, "site", "") not in OF_LEADERS:
        return False
    until = fault.at_ms + SILENT_SHARE * (fault.end_ms - fault.at_ms)
    silent = set(fault.nodes)
    for other in scenario.faults:
        if other.at_ms > until or (not other.elected and _ends_ms(other) <= fault.at_ms):
            continue
        if set(other.elected) & set(_partitions(fault)) and not other.nodes & fault.nodes:
            return True
        if not (tags_of(other).harmless or _passes(fault, other)):
            silent |= other.nodes - CONTROLLERS
    return len(silent) >= BROKERS


def _silent_until(fault: Planned, other: Planned, scenario: Scenario) -> int:
    """Return until when another fault keeps away what a fault acts on, in ms; 0 if it does not.

    What a fault acts on comes over nodes, or a link, at which the other one may be.
    """
    leaders = scenario.workload.leaders
    nodes = _nodes(fault) | {leaders[each] for each in _partitions(fault)}
    if fault.kind in NEEDS_APPENDS and not fault.nodes & set(leaders):
        nodes |= set(leaders)  # all that its disk gets comes from them
    by_link = other.kind in REPLICATION_ONLY
    is_between = other.nodes <= nodes if by_link else bool(_nodes(other) & nodes)
    if is_between:
        return _ends_ms(other)
    needs_acks = fault.kind in NEEDS_APPENDS and scenario.workload.acks == "all"
    if isinstance(fault, Answer):
        all_ack = scenario.workload.acks == "all" or fault.api in OF_GROUPS_OR_TRANSACTIONS
        needs_acks = all_ack or fault.to != "clients"
    at_replica = bool(other.nodes & set(leaders)) if by_link else not other.nodes & CONTROLLERS
    if not (needs_acks and at_replica):
        return 0
    if other.kind in LAGS and _others_replicate(fault, other, scenario):
        return min(_ends_ms(other), other.at_ms + LEAVES_ISR_MS)
    return _ends_ms(other)


def _ends_ms(fault: Planned) -> int:
    """Return until when a fault may silence its nodes."""
    if tags_of(fault).alone:
        return fault.end_ms + RESTART_MS
    return fault.end_ms + (CONNECTS_MS if fault.kind in AT_A_LEADER else 0)


def _others_replicate(fault: Planned, other: Planned, scenario: Scenario) -> bool:
    """Whether the ISR loses the follower of `other` and no other one before the end of `fault`.

    A third fault may silence another follower, or the controller that would shrink the ISR.
    """
    nodes = fault.nodes | other.nodes
    return not any(
        third.at_ms < fault.end_ms
        and other.at_ms < _ends_ms(third)
        and (third.added or third.removed or not (tags_of(third).harmless or third.nodes <= nodes))
        for third in scenario.faults
    )


def _nodes(fault: Planned) -> frozenset[int]:
    """Return the nodes that it is done to; the active controller may be the first one."""
    return fault.nodes | CONTROLLERS if fault.nodes & CONTROLLERS else fault.nodes


def _partitions(fault: Planned) -> Sequence[int]:
    found: Sequence[int] = getattr(fault, "partitions", ())
    return found


def _is_silent_for(
    fault: Planned, request: Planned, leaders: Sequence[int], controllers: Collection[int]
) -> bool:
    """Whether a fault may keep a node from answering a request, which is asked at both its ends."""
    named = {leaders[partition] for partition in (*request.added, *request.removed)}
    transacts = tags_of(request).stops_clients  # at any broker may be a partition of a transaction
    named |= set(range(1, BROKERS + 1)) if transacts else set()
    asked = _nodes(request) | named | set(controllers)
    to_clients = isinstance(fault, Answer) and fault.to == "clients"  # not to who asks here
    if to_clients or (request.cancelled and _keeps(fault, request)):
        return False
    if fault.kind in REPLICATION_ONLY and not transacts:
        return False
    if not (asked & _nodes(fault) or fault.kind == FORWARDING):
        return False
    until = fault.end_ms + (RESTART_MS if tags_of(fault).alone else 0)
    return fault.at_ms < request.end_ms + SETTLE_MS and request.at_ms < until
