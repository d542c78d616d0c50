"""Tells from librdkafka's statistics for how long a broker has sent nothing to a consumer."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

INTERVAL_MS: Final = 1_000
"""How often the client makes statistics."""


class Silences:
    """Follows from which brokers a consumer fetches, and when it last heard of each.

    Args:
        topic: the topic that the consumer reads.
        clock: a monotonic clock, in seconds.

    """

    def __init__(self, topic: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._topic = topic
        self._clock = clock
        self._since: dict[int, float] = {}  # broker -> since when it leads a partition

    def of(self, statistics: str) -> Mapping[int, float]:
        """Return for each broker that leads a partition how long it has been silent, in ms.

        The time before it led one does not count: the consumer then asked it for nothing.

        Args:
            statistics: the JSON document that librdkafka passes to `stats_cb`.

        """
        document = json.loads(statistics)
        now = self._clock()
        leaders = _leaders(document, self._topic)
        self._since = {each: self._since.get(each, now) for each in leaders}
        idle = {
            broker["nodeid"]: broker["rxidle"] / 1_000  # microseconds; -1 if there was no answer
            for broker in document.get("brokers", {}).values()
        }
        silent = {}
        for each, since in self._since.items():
            asked = (now - since) * 1_000
            known = idle.get(each, -1)
            silent[each] = asked if known < 0 else min(known, asked)
        return silent


def _leaders(document: Mapping[str, Any], topic: str) -> set[int]:
    partitions = document.get("topics", {}).get(topic, {}).get("partitions", {})
    return {each["leader"] for each in partitions.values() if each["leader"] >= 0}
