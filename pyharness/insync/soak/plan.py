"""What a soak runs: how long, which brokers with which settings, and how often each thing happens.

The settings are such that what leaks per fetch, per connection, per session or per topic shows
soon: many short fetches, connections that end early, few sessions, small heaps.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync import arms
from insync.errors import InputError

ARMS: Final = ("stock", "read", "request", "step-down")
"""Those whose brokers differ in what a fetch does; `stock` shows what grows without the agent."""
TOPIC: Final = "soak"
PARTITIONS: Final = 12
RECORDS_PER_S: Final = 60
GOAL_FETCHES: Final = 10_000_000
GOAL_S: Final = 9_000.0
"""A soak that is worth its name: 10^7 fetches of followers, or 2.5 hours."""

DISCONNECT: Final = "disconnect"
"""The disturbance after which connections must have ended, as samples name it."""
_IDLE_MS: Final = 2_500
FROZEN_S: Final = 4.5
"""A frozen follower's connection is closed after `_IDLE_MS`; the freeze must be longer."""
SESSIONS: Final = 64
"""Sessions that consumers open at a time: more than the cache has slots."""
_WARM_UP_SHARE: Final = 0.2
_WARM_UP_MOST_S: Final = 300.0

SETTINGS: Final[Mapping[str, str]] = {
    # Short fetches by many fetchers, so that there are many.
    "replica.fetch.wait.max.ms": "2",
    "num.replica.fetchers": "4",
    # From Kafka 3.7 on the cache has eight parts; four slots each leave room for eight fetchers.
    "max.incremental.fetch.session.cache.slots": "32",
    "connections.max.idle.ms": str(_IDLE_MS),
    "replica.lag.time.max.ms": "6000",
    # Files of deleted topics are closed soon, so that they do not count as growth.
    "log.segment.delete.delay.ms": "1000",
    "min.insync.replicas": "1",
}
T_MS: Final = "1000"
"""When a leader steps down, in the arm that does; a frozen follower is not a reason."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A soak.

    Attributes:
        kafka: the version or own build.
        arm: the arm.
        seconds: how long the cluster is disturbed.
        out: the output folder.

    """

    kafka: str
    arm: str
    seconds: float
    out: Path

    @property
    def warm_up_s(self) -> float:
        """Seconds at the beginning that are not judged: caches fill, code is compiled."""
        return min(_WARM_UP_MOST_S, _WARM_UP_SHARE * self.seconds)

    @property
    def settings(self) -> dict[str, str]:
        """What every node's server.properties gets."""
        own = arms.settings(self.arm)
        steps_down = {arms.PROCESS_TIME: T_MS} if arms.steps_down(self.arm) else {}
        return {**SETTINGS, **own, **steps_down}

    @property
    def has_agent(self) -> bool:
        """Whether the brokers carry the agent."""
        return arms.has_agent(self.arm)


def duration_s(hours: float | None, minutes: float | None) -> float:
    """Return the seconds that two options ask for; raises InputError if they do not ask for any."""
    if hours is None and minutes is None:
        raise InputError("--hours: missing, expected --hours H or --minutes M")
    for name, value in (("--hours", hours), ("--minutes", minutes)):
        if value is not None and not 0 <= value < float("inf"):
            raise InputError(f"{name} {value:g}: expected a number that is not negative")
    seconds = 3_600 * (hours or 0.0) + 60 * (minutes or 0.0)
    if seconds <= 0:
        raise InputError("--hours 0: expected more than nothing, such as --hours 2.5")
    return seconds


def require_arm(arm: str) -> str:
    """Return the arm; raises InputError if a soak does not have it."""
    if arm not in ARMS:
        raise InputError(f"--arm {arm}: expected one of {', '.join(ARMS)}")
    return arm
