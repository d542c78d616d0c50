"""Throttles the replication of some partitions, as `kafka-reassign-partitions --throttle` does.

Kafka's quota is a rate per broker, and each topic says for which of its replicas it counts. A
leader whose quota is used up answers a fetch without the records of such partitions.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

RATES: Final = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
LEADERS: Final = "leader.replication.throttled.replicas"
FOLLOWERS: Final = "follower.replication.throttled.replicas"

Settings = Mapping[str, str | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Throttle:
    """The replication of some partitions to one follower.

    Args:
        update_broker: sets configs of a broker, or deletes those that are None.
        update_topic: the same for the topic.
        in_force: how many settings a broker says that it has.
        leaders: the leader of each partition.
        follower: the broker that fetches.
        bytes_per_s: what a leader may send, and what the follower may fetch.

    """

    update_broker: Callable[[int, Settings], None]
    update_topic: Callable[[Settings], None]
    in_force: Callable[[int, Mapping[str, str]], int]
    leaders: Mapping[int, int]
    follower: int
    bytes_per_s: int

    @property
    def rates(self) -> Mapping[str, str]:
        """What each of the brokers is told."""
        return dict.fromkeys(RATES, str(self.bytes_per_s))

    @property
    def brokers(self) -> list[int]:
        """The brokers that have a quota."""
        return sorted({*self.leaders.values(), self.follower})

    def begin(self) -> None:
        """Set the quotas; raises InsyncError if that is refused."""
        leaders = ",".join(f"{partition}:{leader}" for partition, leader in self.leaders.items())
        followers = ",".join(f"{partition}:{self.follower}" for partition in self.leaders)
        self.update_topic({LEADERS: leaders, FOLLOWERS: followers})
        for broker in self.brokers:
            self.update_broker(broker, self.rates)

    def count(self) -> int:
        """Return how many quotas are in force, two per broker."""
        return sum(self.in_force(broker, self.rates) for broker in self.brokers)

    def end(self) -> None:
        """Delete the quotas."""
        for broker in self.brokers:
            self.update_broker(broker, dict.fromkeys(RATES))
        self.update_topic(dict.fromkeys((LEADERS, FOLLOWERS)))
