"""Checks the rules of a scenario that concern several fields.

Each raises `broken` with the key path, the value and what was expected, in the
words that the user reads.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from insync import arms
from insync.clients import DEFAULT_CLIENT, Client, uses
from insync.faults.spec import BESIDE, Planned
from insync.fields import broken
from insync.nodes import ACTIVE_CONTROLLER, CONTROLLER_ID
from insync.skew import shares

OF_CONTROLLERS: Final = frozenset({"controller-link", "quorum-link"})
"""Kinds that break links of controllers, which then are nodes of their own."""
LEAST_LAG_MS: Final = 500  # below this a busy two-core host shrinks the ISR by itself
LEAST_TIMEOUT_MS: Final = 10  # librdkafka's, of socket.timeout.ms
LONGEST_TIMEOUT_MS: Final = 300_000
LEAST_RATE: Final = 0.2  # of a producer: its first record must come soon after the start


def check_lag(lag_ms: int, wait_ms: int) -> None:
    """Check that the lag can be measured here, and is above the wait, as Kafka requires."""
    if lag_ms < LEAST_LAG_MS:
        raise broken("replica_lag_time_max_ms", lag_ms, f"at least {LEAST_LAG_MS}")
    if wait_ms >= lag_ms:
        expected = f"less than replica_lag_time_max_ms, which is {lag_ms}"
        raise broken("replica_fetch_wait_max_ms", wait_ms, expected)


def check_client_timeout(timeout_ms: int | None) -> None:
    """Check that clients accept a timeout."""
    if timeout_ms is not None and not LEAST_TIMEOUT_MS <= timeout_ms <= LONGEST_TIMEOUT_MS:
        expected = f"{LEAST_TIMEOUT_MS} to {LONGEST_TIMEOUT_MS}"
        raise broken("client_timeout_ms", timeout_ms, expected)


def check_stepping_arms(names: Sequence[str], time_ms: int | None) -> None:
    """Check that a scenario says after what time leaders step down, where its arms let them."""
    for index, arm in enumerate(names):
        if arms.steps_down(arm) and time_ms is None:
            expected = "another arm, or broker.leader_fetch_process_time_max_ms to be set"
            raise broken(f"arms[{index}]", arm, expected)


def check_bounds(low: float | None, high: float | None) -> None:
    """Check that an expectation has a bound, and that min is not above max."""
    if low is None and high is None:
        raise broken("min", None, "min or max or both")
    if low is not None and high is not None and low > high:
        raise broken("min", low, f"at most max, which is {high:g}")


def check_client_retries(retries: bool, *, idempotent: bool) -> None:
    """Check that producers without retries are not idempotent, which librdkafka refuses."""
    if idempotent and not retries:
        raise broken("client_retries", retries, "true where idempotent is true")


def check_burst_clients(bursts: bool, *, idempotent: bool) -> None:
    """Check that a burst can be sent at once: an idempotent client delays records."""
    if bursts and idempotent:
        raise broken("idempotent", idempotent, "false where there are bursts")


def check_bursts(index: int, partitions: Sequence[int], others: Sequence[int], count: int) -> None:
    """Check that the partitions of bursts exist and have no other bursts."""
    for place, partition in enumerate(partitions):
        key = f"bursts[{index}].partitions[{place}]"
        if partition >= count:
            raise broken(key, partition, f"0 to {count - 1}, the partitions of leaders")
        if partition in (*others, *partitions[:place]):
            raise broken(key, partition, "a partition that has no bursts yet")


def check_comparison(arm: str, against: str, given: int) -> None:
    """Check that a comparison is with another arm, and has one bound."""
    if against == arm:
        raise broken("against", against, f"another arm than {arm}")
    if given != 1:
        raise broken("at_most", None, "one of at_most, at_least and below")


def check_control_arms(control: Sequence[str], names: Sequence[str]) -> None:
    """Check that control arms are among the arms of the run."""
    for index, arm in enumerate(control):
        if arm not in names:
            raise broken(f"control_arms[{index}]", arm, f"one of the arms: {', '.join(names)}")


def check_expected(key: str, arm: str, names: Sequence[str]) -> None:
    """Check that an arm of which something is expected is among the arms of the file.

    One that needs a patched build of Kafka need not be: it runs only where --arms names it.
    """
    if not arms.ARMS[arm].patched and not arms.stand_in(arm, names):
        raise broken(key, arm, f"one of the arms that run: {', '.join(names)}")


def check_one_disk(index: int, kind: str, broker: int, needed: str, other: str) -> None:
    """Check that two faults need the same kind of disk under a broker's log folder."""
    if needed != other:
        expected = f"another broker: the log folder of broker {broker} is on {other}"
        raise broken(f"faults[{index}].kind", kind, expected)


def check_apart(index: int, at_ms: int, end_ms: int, other_at_ms: int, other_end_ms: int) -> None:
    """Check that two faults do not overlap that would interfere with each other."""
    if at_ms < other_end_ms and other_at_ms < end_ms:
        expected = (
            f"outside of {other_at_ms} to {other_end_ms}, when the same broker is frozen,"
            " killed or out of disk, or has another fault"
        )
        raise broken(f"faults[{index}].at_ms", at_ms, expected)


def check_combined(combined: bool, *, agent: bool) -> None:
    """Check that brokers that are controllers carry the agent where brokers do."""
    if combined and not agent:
        raise broken("controller_agent", agent, "true where combined is true")


def check_controller(index: int, fault: Planned, controllers: int, *, combined: bool) -> None:
    """Check that a fault at the controller, or at links to it, has the controller that it means."""
    if combined and fault.broker in (CONTROLLER_ID, ACTIVE_CONTROLLER):
        expected = "a broker, because broker.combined is true"
        raise broken(f"faults[{index}].broker", fault.broker, expected)
    if fault.kind in OF_CONTROLLERS and combined:
        expected = "another one where broker.combined is true"
        raise broken(f"faults[{index}].kind", fault.kind, expected)
    if fault.kind == "quorum-link" and controllers == 1:
        expected = "another one where broker.controllers is 1"
        raise broken(f"faults[{index}].kind", fault.kind, expected)
    if getattr(fault, "to", "") == "controllers" and controllers == 1:
        expected = "'brokers' or 'broker N' where broker.controllers is 1"
        raise broken(f"faults[{index}].to", "controllers", expected)


def check_configs(configs: Mapping[str, str], countdown: int) -> None:
    """Check that a compacted topic keeps every record: the checker knows of none that may go.

    A record without a key is refused there, and one whose key comes again is removed.
    """
    if "min.insync.replicas" in configs:
        raise broken("configs", "min.insync.replicas", "min_insync_replicas instead")
    if "compact" in configs.get("cleanup.policy", "") and not countdown:
        raise broken("key_countdown", countdown, "more than 0 for a compacted topic")


def check_countdown(countdown: int, keys: int, client: str) -> None:
    """Check that keys of their own are the only ones, and that the clients can have them."""
    if countdown and keys:
        raise broken("keys", keys, "0 beside key_countdown")
    if countdown and client != DEFAULT_CLIENT:
        raise broken("client", client, f"'{DEFAULT_CLIENT}' for key_countdown")


def check_until(until_ms: int | None, client: str) -> None:
    """Check that the clients can cease to begin transactions."""
    if until_ms is not None and client != DEFAULT_CLIENT:
        raise broken("client", client, f"'{DEFAULT_CLIENT}' for transactions.until_ms")


def check_frozen_clients(index: int, for_ms: int, timeout_ms: int | None, client: Client) -> None:
    """Check that clients that are stopped in a transaction are in a JVM, and miss its timeout."""
    if timeout_ms is None or not uses(client, "java"):
        expected = "a scenario with workload.transactions, and workload.client 'java' or 'both'"
        raise broken(f"faults[{index}].kind", "client-freeze", expected)
    if for_ms <= timeout_ms:
        expected = f"more than workload.transactions.timeout_ms, which is {timeout_ms}"
        raise broken(f"faults[{index}].for_ms", for_ms, expected)


def check_read_from(broker: int | None, leaders: Sequence[int], client: Client) -> None:
    """Check that consumers have a follower to read from, and say from whom they read."""
    if broker is not None and all(leader == broker for leader in leaders):
        raise broken("read_from", broker, "a broker that does not lead every partition")
    if broker is not None and client != DEFAULT_CLIENT:
        raise broken("client", client, f"'{DEFAULT_CLIENT}' for read_from")


def check_transaction_timeout(timeout_ms: int | None, client_timeout_ms: int | None) -> None:
    """Check that a client gives up on a broker before its transaction, as librdkafka requires."""
    if timeout_ms is not None and client_timeout_ms is not None and client_timeout_ms > timeout_ms:
        expected = f"at least client_timeout_ms, which is {client_timeout_ms}"
        raise broken("transactions.timeout_ms", timeout_ms, expected)


_OF_TOPIC: Final = {
    "__transaction_state": "workload.transactions",
    "__consumer_offsets": "workload.groups",
    BESIDE: "[beside]",
}


def check_topic(index: int, topic: str | None, topics: Collection[str | None]) -> None:
    """Check that there is the topic that a fault is about."""
    if topic is not None and topic not in topics:
        raise broken(f"faults[{index}].topic", topic, f"a scenario with {_OF_TOPIC[topic]}")


def check_log_dirs(index: int, kind: str, log_dirs: int) -> None:
    """Check that brokers have one log directory where a fault knows the first one only."""
    if log_dirs > 1:
        expected = (
            "another one where broker.log_dirs is more than 1: stall, read-error or move-log-dir of"
            " partitions; disk-stall, disk-full or disk-read-only of the first directory"
        )
        raise broken(f"faults[{index}].kind", kind, expected)


def check_start(index: int, at_ms: int, steady_ms: int) -> None:
    """Check that a fault comes after the steady time."""
    if at_ms < steady_ms:
        expected = f"at least timeline.steady_ms, which is {steady_ms}"
        raise broken(f"faults[{index}].at_ms", at_ms, expected)


def check_sessions(sessions: Sequence[int | None]) -> None:
    """Check that all groups have the same session: with one protocol it is the brokers' setting."""
    for index, session in enumerate(sessions):
        if session != sessions[0]:
            key = f"groups[{index}].session_timeout_ms"
            raise broken(key, session, f"{sessions[0]}, as in groups[0]")


def check_acks(acks: str, *, idempotent: bool) -> None:
    """Check that idempotent producers wait for the ISR, as all clients require."""
    if idempotent and acks != "all":
        raise broken("acks", acks, "'all' where idempotent is true")


def check_keys(keys: int, skew: float, partitions: int, *, bursts: bool) -> None:
    """Check that each partition has a key, and that a skew has keys to act on."""
    if skew and not keys:
        raise broken("key_skew", skew, "0 where there are no keys")
    if skew and bursts:
        raise broken("key_skew", skew, "0 where there are bursts, which have their own rate")
    if keys and keys < partitions:
        raise broken("keys", keys, f"0, or at least {partitions}, the number of partitions")


def check_key_skew(keys: int, skew: float, partitions: int, rate: float) -> None:
    """Check that a skew leaves each producer enough records to start; `rate` is without a skew."""
    if not keys:
        return
    fewest = min(shares(keys, skew, partitions)) * partitions * rate
    if fewest < LEAST_RATE:
        expected = (
            f"less: each producer of the partition with the rarest keys would send {fewest:.2g}"
            f" records per second, and needs {LEAST_RATE:g}"
        )
        raise broken("key_skew", skew, expected)


def check_raced(leaders: Sequence[int], client: str) -> None:
    """Check that a race has a partition to run on and one that it does not touch, on one leader.

    Its few records are librdkafka's.
    """
    if client != DEFAULT_CLIENT:
        raise broken("workload.client", client, f"'{DEFAULT_CLIENT}' for a race")
    if tuple(leaders) != (1, 1):
        raise broken("workload.leaders", list(leaders), "[1, 1] for a race")
