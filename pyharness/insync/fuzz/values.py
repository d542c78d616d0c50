"""Draw brokers, workload and the keys of faults: from tables where a range matters, else by types.

A kind that is added to the registry is drawn by the types of its keys. Only a required key of a
type that nothing here can draw needs a row in `VALUES`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import exp, log
from random import Random
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo

from insync import arms
from insync.clients import DEFAULT_CLIENT, Client
from insync.faults.kind import OWN_DISK, STALLABLE, VOLUME, FaultKind
from insync.faults.registry import tagged
from insync.faults.spec import INTERNAL, OnAnyProcess, OnProcess
from insync.nodes import ACTIVE_CONTROLLER, BROKERS, CONTROLLER_ID
from insync.run.arm_cluster import RACK_AWARE, SELECTOR

Draw = Callable[[Random, Sequence[int], int], Any]
"""Draws a value; gets the leaders of the partitions, and the fault's broker."""

SHORTEST_MS: Final = 300
LONG_MS: Final = 3_000
LONGEST_MS: Final = 5_000
LONG_SHARE: Final = 0.5
CONTROLLER_SHARE: Final = 0.2
OPTIONAL_SHARE: Final = 0.6
LED_SHARE: Final = 0.6
MOST_OF_A_TYPE: Final = 1_000
"""Above a key's least value, how far values go that are drawn by the key's type alone."""

DISKS: Final[Mapping[str, int]] = {STALLABLE: 1, VOLUME: 2, OWN_DISK: 3}
"""The broker whose log folder is on each kind of disk: seeds that share a cluster share these."""

LOSES_DATA: Final = frozenset({"lost-log", "disk-read-only", "power-failure"})
"""Kinds that remove what a broker had written: more than one lost replica is more than Kafka
survives, so nothing else that harms a broker is drawn beside one of these."""

WEIGHTS: Final[Mapping[str, float]] = {
    "stall": 4, "kill": 3, "freeze": 3, "elect": 3, "link": 3, "config-update": 2,
    "add-replica": 2, "remove-replica": 2, "memory-pressure": 0.1, "disk-full": 0.5,
    "disk-read-only": 0.5, "lost-log": 0.5, "answer": 6, "quorum-link": 4,
}  # fmt: skip
"""How often a kind is drawn, compared with 1 for any other; a memory-pressure takes long."""

NOT_DRAWN: Final = frozenset(tagged("only_planned"))
"""Kinds that no seed has."""

KEYS_NOT_DRAWN: Final = frozenset(
    {"throttle_bytes_per_s", "cancel", "files", "topic", "type", "error", "whole", "processed"}
)
"""Optional keys that are not drawn one by one. No seed has a quota of a new replica, a file's name,
another topic, or an unclean election: that needs a partition whose ISR is gone, and what it loses
as planned would hide what else is lost. `draw.cancelled` cancels reassignments, `TOGETHER` has the
others.
"""


class Calls(NamedTuple):
    """Calls of an API that come often, and errors with which Kafka answers them.

    `done`: with what was asked for done, such as an append that not all replicas have in time, or a
    read; `undone`: without it, so that a client sends the same again.
    """

    api: str
    to: str = "clients"
    done: Sequence[str] = ()
    undone: Sequence[str] = ()
    modes: Sequence[str] = ("drop", "delay", "reset")


_APPENDED: Final = ("REQUEST_TIMED_OUT", "NOT_ENOUGH_REPLICAS_AFTER_APPEND")
_REFUSED: Final = ("NOT_LEADER_OR_FOLLOWER", "NOT_ENOUGH_REPLICAS", "KAFKA_STORAGE_ERROR")
_COORDINATED: Final = ("COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR")
_NO_COORDINATOR: Final = ("COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR")
_NOT_READ: Final = ("NOT_LEADER_OR_FOLLOWER", "UNKNOWN_LEADER_EPOCH", "KAFKA_STORAGE_ERROR")
_NO_SESSION: Final = ("FETCH_SESSION_ID_NOT_FOUND",)
"""Errors of a whole answer."""
ASKED_OF_BROKERS: Final = (
    Calls("Fetch", done=_NOT_READ),
    *2
    * (  # those that change something, some of which few seeds have
        Calls("Produce", done=_APPENDED, undone=_REFUSED),
        Calls("Fetch", "brokers", (*_NOT_READ, *_NO_SESSION)),
        Calls("OffsetCommit", done=_COORDINATED, undone=_NO_COORDINATOR),
        Calls("EndTxn", done=_COORDINATED, undone=_NO_COORDINATOR),
        Calls("WriteTxnMarkers", "brokers", _APPENDED, _REFUSED),
    ),
)
ASKED_OF_CONTROLLER: Final = (
    # Without an answer for long a broker is fenced.
    Calls("BrokerHeartbeat", "brokers", undone=("NOT_CONTROLLER",), modes=("delay", "reset")),
    Calls("Fetch", "brokers"),
    Calls("Fetch", "controllers"),
)
MOST_CALLS: Final = 3
OFFSETS: Final = "__consumer_offsets"


def _answer(random: Random) -> dict[str, Any]:
    """Draw which calls of which node an `answer` is for, and what becomes of them."""
    at_controller = random.random() < CONTROLLER_SHARE
    calls = random.choice(ASKED_OF_CONTROLLER if at_controller else ASKED_OF_BROKERS)
    of_group = calls.api == "OffsetCommit"
    led = INTERNAL[OFFSETS] if of_group else range(1, BROKERS + 1)
    drawn: dict[str, Any] = {
        "broker": ACTIVE_CONTROLLER if at_controller else random.choice(led),
        "api": calls.api, "to": calls.to,
        "mode": random.choice([*calls.modes, *(["error"] if calls.done or calls.undone else [])]),
        "from_call": random.randint(1, MOST_CALLS), "calls": random.randint(1, MOST_CALLS),
    }  # fmt: skip
    if of_group:
        drawn["topic"] = OFFSETS  # so that this broker leads it
    if drawn["mode"] == "reset":
        drawn["processed"] = random.random() < 0.5
    if drawn["mode"] == "error":
        drawn["error"] = random.choice([*calls.done, *calls.undone])
        drawn |= {"processed": drawn["error"] in calls.done, "whole": drawn["error"] in _NO_SESSION}
    return drawn


TIMEOUT_MS: Final = 4_000
"""Of clients, and of the transactions that a `client-freeze` is for."""

TOGETHER: Final[Mapping[str, Callable[[Random], dict[str, Any]]]] = {
    "answer": _answer,
    "quorum-link": lambda random: {"broker": random.choice((CONTROLLER_ID, ACTIVE_CONTROLLER))},
    "client-freeze": lambda random: {"for_ms": TIMEOUT_MS + random.randint(1_500, 3_000)},
}
"""By kind, keys that are drawn together, because they have to fit each other."""

SETTINGS: Final[Sequence[Mapping[str, str]]] = (
    {"num.io.threads": "8"},
    {"num.network.threads": "4"},
    {"num.replica.fetchers": "2"},
    {"log.segment.bytes": "1048576"},
    arms.SWITCHED_OFF,
    {arms.SCOPE: "read"},
    {arms.PROCESS_TIME: "60000"},
)
"""Dynamic configs of a broker; stock Kafka keeps those of the agent and does nothing with them."""


def _span(random: Random, *_: object) -> int:
    """Draw the length of a fault: half are long enough to shrink an ISR."""
    if random.random() < LONG_SHARE:
        return random.randint(LONG_MS, LONGEST_MS)
    return round(exp(random.uniform(log(SHORTEST_MS), log(LONG_MS))))


def _some_partitions(random: Random, leaders: Sequence[int], broker: int) -> list[int]:
    """Draw partitions: mostly those that the broker leads, if it leads any."""
    led = [one for one, leader in enumerate(leaders) if leader == broker]
    of = led if led and random.random() < LED_SHARE else list(range(len(leaders)))
    return sorted(random.sample(of, random.randint(1, len(of))))


_LESS_CPU: Final[Mapping[int, int]] = {CONTROLLER_ID: 5}
"""By what a quota is divided where it would not act: a controller uses little CPU time."""

VALUES: Final[Mapping[str, Draw]] = {
    "for_ms": _span,
    "site": lambda random, *_: random.choice(("read", "send", "write", "fsync")),
    "partitions": _some_partitions,
    "peer": lambda random, *_: random.randint(1, BROKERS),
    "delay_ms": lambda random, *_: random.randint(20, 400),
    "acts_ms": lambda *_: 0,
    "quota_percent": lambda random, _, node: random.randint(1, 5) / _LESS_CPU.get(node, 1),
    "neighbours": lambda random, *_: random.randint(2, 6),
    "bytes_per_s": lambda random, *_: random.randint(20_000, 500_000),
    "read_bytes_per_s": lambda random, *_: random.randint(5_000, 50_000),
    "write_bytes_per_s": lambda random, *_: random.randint(5_000, 50_000),
    "loss_percent": lambda random, *_: float(random.randint(20, 60)),
    "by_ms": lambda random, *_: random.choice((-1, 1)) * random.randint(1_000, 120_000),
    "limit_bytes": lambda *_: 64 << 20,
    "settings": lambda random, *_: dict(random.choice(SETTINGS)),
}  # fmt: skip
"""The keys whose range is narrower than their type, or whose type nothing can be drawn from."""

ONLY_WITH: Final[Mapping[str, tuple[str, str]]] = {
    "delay_ms": ("mode", "delay"),
    "bytes_per_s": ("mode", "slow"),
    "loss_percent": ("mode", "loss"),
}
"""Keys that belong to one value of another key."""


STEADY_MS: Final = 500
BEGIN_WITHIN_MS: Final = 3_000
"""Before when no fault begins, and within what time then all do."""


def draw_keys(kind: FaultKind[Any], random: Random, leaders: Sequence[int]) -> dict[str, Any]:
    """Draw a fault of a kind; its scenario may refuse it."""
    keys: dict[str, Any] = {"kind": kind.name, "broker": _broker(kind, random)}
    keys["at_ms"] = random.randint(STEADY_MS, STEADY_MS + BEGIN_WITHIN_MS)
    keys |= TOGETHER[kind.name](random) if kind.name in TOGETHER else {}
    fields = kind.spec.model_fields
    for name in sorted(fields, key=lambda name: name in ONLY_WITH):
        if name in keys or name in KEYS_NOT_DRAWN:
            continue
        if name in ONLY_WITH:
            other, value = ONLY_WITH[name]
            if keys.get(other) != value:
                continue
        elif not fields[name].is_required() and random.random() > OPTIONAL_SHARE:
            continue
        draw = VALUES.get(name) or partial(_by_type, name, fields[name])
        keys[name] = draw(random, leaders, keys["broker"])
    return keys


def _broker(kind: FaultKind[Any], random: Random) -> int:
    if kind.tags.log_folder in DISKS:
        return DISKS[kind.tags.log_folder]
    if issubclass(kind.spec, OnProcess) and random.random() < CONTROLLER_SHARE:
        of_any = issubclass(kind.spec, OnAnyProcess)
        return random.choice((CONTROLLER_ID, ACTIVE_CONTROLLER)) if of_any else CONTROLLER_ID
    return random.randint(1, BROKERS)


def _by_type(name: str, field: FieldInfo, random: Random, *_: object) -> Any:
    """Draw a value by a key's type; raises LookupError for a type that is not known here."""
    annotation, inner = field.annotation, next(iter(get_args(field.annotation)), None)
    if get_origin(annotation) is Literal:
        return random.choice(get_args(annotation))
    if get_origin(annotation) is tuple and get_origin(inner) is Literal:
        return random.sample(get_args(inner), random.randint(1, len(get_args(inner))))
    if annotation not in (int, float):
        raise LookupError(f"{name}: no way to draw a {annotation}, expected a row in VALUES")
    ends = field.metadata
    low = next((int(each.ge) for each in ends if isinstance(each, Ge)), 0)  # type: ignore[call-overload]  # a number, in our models
    most = low + MOST_OF_A_TYPE
    high = next((int(each.le) for each in ends if isinstance(each, Le)), most)  # type: ignore[call-overload]
    return annotation(random.randint(low, min(high, most)))


BROKER: Final[Mapping[str, Any]] = {
    "replica_lag_time_max_ms": 2_000,
    "replica_fetch_wait_max_ms": 500,
    "replica_fetch_backoff_ms": 500,
    "broker_session_timeout_ms": 2_000,
    "num_io_threads": 4,
    "num_network_threads": 2,
    "log_flush_interval_messages": 20,  # so that an fsync can be stalled
    "leader_fetch_process_time_max_ms": 1_000,
    "insync_relinquish_cooldown_ms": 50_000,  # the next seed soon finds no slow broker
}
LOOK_FOR_TIMEOUTS: Final = {"transaction.abort.timed.out.transaction.cleanup.interval.ms": "500"}
"""So that a coordinator ends a transaction soon after its timeout."""

CONTROLLERS: Final[Sequence[Mapping[str, Any]]] = (
    {},
    {"controllers": 3},
    {"controllers": 3, "combined": True},
)
"""One controller, a quorum of three, and brokers that are the controllers."""
IN_A_ROW: Final = 10
"""How many seeds in a row have the same controllers, so that they can share a cluster."""


def brokers_of(
    seed: int, *, quorums: bool, racks: bool, settings: Mapping[str, str]
) -> dict[str, Any]:
    """Return the key `broker` of a seed.

    `quorums`: whether the version can have several controllers; `racks`: whether consumers of some
    seeds may read from followers, which is so for ten in a row or for none.
    """
    row = (seed - 1) // IN_A_ROW
    controllers = CONTROLLERS[row % len(CONTROLLERS)] if quorums else {}
    selector = {SELECTOR: RACK_AWARE} if racks and row % 2 else {}
    return {**BROKER, **controllers, "settings": {**LOOK_FOR_TIMEOUTS, **selector, **settings}}


MOST_PARTITIONS: Final = 4
PLAIN: Final[Mapping[str, Any]] = {
    "rate_per_partition": 25,
    "producers_per_partition": 2,
    "record_bytes": 200,
    "client_timeout_ms": TIMEOUT_MS,
}
"""What every workload has at first; reduction comes back to it."""


def draw_workload(
    random: Random, protocols: Sequence[str], *, racks: bool, java: bool
) -> dict[str, Any]:
    """Return the keys of a workload that the loader accepts.

    `racks`: brokers have some; `java`: there are Java clients.
    """
    brokers = range(1, BROKERS + 1)
    leaders = [random.choice(brokers) for _ in range(random.randint(1, MOST_PARTITIONS))]
    keys: dict[str, Any] = {**PLAIN, "leaders": leaders}
    keys["rate_per_partition"] = random.choice((10, 25, 50))
    keys["producers_per_partition"] = random.randint(1, 3)
    keys["record_bytes"] = random.choice((64, 200, 2_000))
    keys["acks"] = random.choice(("1", "all", "all"))
    client = random.choice(("librdkafka", "librdkafka", "librdkafka", "java", "both"))
    keys["client"] = client if java else DEFAULT_CLIENT
    if keys["acks"] == "all" and random.random() < 0.4:
        keys["idempotent"] = True
    if random.random() < 0.3:
        keys["compression"] = random.choice(("gzip", "snappy", "lz4", "zstd"))
        keys["linger_ms"] = 20
    if random.random() < (0.6 if keys["client"] == "both" else 0.3):  # for a `client-freeze`
        keys["transactions"] = _transactions(random, keys["client"])
    if random.random() < 0.3:
        keys["groups"] = [_group(random, protocols)]
    if not keys.get("idempotent") and random.random() < 0.15:
        bursts = {"partitions": [random.randrange(len(leaders))], "records": 20, "every_ms": 400}
        keys["bursts"] = [bursts]
    elif random.random() < 0.2:
        keys["keys"] = 10 * len(leaders)
    if random.random() < 0.3:
        keys["fetch_wait_ms"] = random.choice((5, 500, 1_000))
    readable = [broker for broker in brokers if set(leaders) != {broker}]
    if racks and keys["client"] == DEFAULT_CLIENT and random.random() < 0.5:
        keys["read_from"] = random.choice(readable)
    return keys


def _transactions(random: Random, client: Client) -> dict[str, Any]:
    both = client == "both"  # then each library has one
    return {
        "coordinators": random.sample(range(1, BROKERS + 1), 2 if both else random.randint(1, 2)),
        **({"timeout_ms": TIMEOUT_MS} if both else {}),
        "per_second": random.randint(2, 6),
        "records": random.randint(2, 5),
        "abort_percent": random.choice((0, 20)),
        "reads": random.choice((0, 0, 20)),
    }


def _group(random: Random, protocols: Sequence[str]) -> dict[str, Any]:
    group: dict[str, Any] = {
        "protocol": random.choice(list(protocols)),
        "members": random.randint(1, 3),
    }
    if random.random() < 0.4:
        group["rejoin_every_ms"] = 1_500
    return group
