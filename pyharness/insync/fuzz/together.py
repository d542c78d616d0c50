"""Draw faults that are dangerous together, and that hardly any seed has by chance.

An outage kills all brokers. In the other form a follower falls out of the ISR and goes on running,
and then its leader hangs: who leads next must not be that follower.
"""

from collections.abc import Collection, Sequence
from random import Random
from typing import Any, Final

from insync.faults.registry import KINDS
from insync.fuzz.values import LONG_MS, LONGEST_MS, LOSES_DATA
from insync.nodes import BROKERS

Drawn = list[dict[str, Any]]

OUTAGE_SHARE: Final = 0.1
OUTAGE_GAP_MS: Final = (300, 2_800)
"""The time between two kills of an outage: the first broker may be out of the ISR by then."""
SHRUNK_SHARE: Final = 0.1
LEADER_HANGS_AFTER_MS: Final = (2_600, 3_000)
"""Until most followers that were not served are out of the ISR, which takes 2 to 3.5 s."""


def outage(random: Random, kinds: Collection[str], first_ms: int) -> Drawn:
    """Return kills of all brokers in some of the seeds, else nothing."""
    lethal = [name for name in kinds if KINDS[name].tags.kills and name not in LOSES_DATA]
    if not lethal or random.random() > OUTAGE_SHARE:
        return []
    kind, at_ms, faults = random.choice(lethal), first_ms, []
    for broker in random.sample(range(1, BROKERS + 1), BROKERS):
        for_ms = random.randint(LONG_MS, LONGEST_MS)
        faults.append({"kind": kind, "broker": broker, "at_ms": at_ms, "for_ms": for_ms})
        at_ms += random.randint(*OUTAGE_GAP_MS)
    return faults


def shrunk(seed: int, kinds: Collection[str], leaders: Sequence[int], first_ms: int) -> Drawn:
    """Return faults that shrink an ISR, then stall its leader, in some of the seeds.

    It has random numbers of its own, so that the other seeds are as if it did not exist.
    """
    random = Random(f"insync fuzz shrunk ISR {seed}")  # noqa: S311
    if not {"stall", "link"} <= set(kinds) or random.random() > SHRUNK_SHARE:
        return []
    leader = random.choice(sorted(set(leaders)))
    led = [number for number, each in enumerate(leaders) if each == leader]
    follower = random.choice([each for each in range(1, BROKERS + 1) if each != leader])
    stall = {"kind": "stall", "mode": "hold", "partitions": led}
    late = {"broker": follower, "at_ms": first_ms, "for_ms": LONGEST_MS}
    hung = {
        "broker": leader, "at_ms": first_ms + random.randint(*LEADER_HANGS_AFTER_MS),
        "for_ms": random.randint(LONG_MS, LONGEST_MS), "site": random.choice(("read", "send")),
    }  # fmt: skip
    if random.random() < 0.5:
        return [{**stall, **late, "site": "write"}, {**stall, **hung}]
    return [{"kind": "link", "mode": "cut", "peer": leader, **late}, {**stall, **hung}]
