"""Draw the shape "late-write": a leader's append stalls while its partitions get another leader.

The stall ends after that, and the append of the former leader completes: it writes records that the
new leader does not have. With acks=all none of them may have been acked.
"""

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from insync.nodes import BROKERS

BEGIN_MS: Final = 500
READ_FIRST_MS: Final = 40
PRODUCERS: Final = 8
RATE: Final = 50
"""With acks=all a producer has one append at a time at the leader, and none when its append is not
replicated. So several write often, and appends hang before each has one that waits.
"""
LEAST_MS: Final = 300
"""How long an append must hang where reads hang, too, after which few appends come."""
IO_THREADS: Final = 16
"""Handlers of requests: more than the reads of followers and consumers that hang."""
STEPS_DOWN_SHARE: Final = 0.5


def shaped(keys: Mapping[str, Any], random: Random) -> dict[str, Any]:
    """Return the keys of a scenario with faults of this shape, and leaders that fit.

    In half of the seeds an election moves the leadership. In the others the leader's reads stall,
    too, and a leader that may step down does.
    """
    leader = random.randint(1, BROKERS)
    others = [broker for broker in range(1, BROKERS + 1) if broker != leader]
    partitions = list(range(random.randint(1, 2)))
    stall_ms = random.randint(2_000, 4_500)
    write = {
        "kind": "stall", "site": "write", "mode": "hold", "broker": leader,
        "partitions": partitions, "at_ms": BEGIN_MS + READ_FIRST_MS, "for_ms": stall_ms,
    }  # fmt: skip
    faults, load = [write], dict(keys["workload"])
    if random.random() < STEPS_DOWN_SHARE:
        load |= {"producers_per_partition": PRODUCERS, "rate_per_partition": RATE}
        # The read stalls first: without appends nothing is read that could.
        faults.append({**write, "site": "read", "at_ms": BEGIN_MS})
        write["acts_ms"] = LEAST_MS
    else:
        elected = random.choice(others)
        at_ms = BEGIN_MS + READ_FIRST_MS + random.randint(100, stall_ms - 500)
        faults.append(
            {"kind": "elect", "broker": elected, "partitions": partitions, "at_ms": at_ms}
        )
    leaders = [*([leader] * len(partitions)), random.choice(others)]
    workload = {**load, "leaders": leaders}
    workload.pop("bursts", None)
    if "keys" in workload:
        workload["keys"] = 10 * len(leaders)
    broker = {**keys["broker"], "num_io_threads": IO_THREADS}
    return {**keys, "broker": broker, "workload": workload, "faults": faults}
