"""Disturbs a cluster in turn: frozen brokers, fetch sessions, topics, configs.

Each uses a kind of fault of `insync run`, with its evidence; one without evidence ends the soak.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count, cycle
from typing import Final

from insync import arms
from insync.brokers.kafka import wire
from insync.brokers.kafka.wire import exchange
from insync.errors import InsyncError
from insync.nodes import BROKERS
from insync.testing import KafkaCluster

TOPIC: Final = "soak"
IDLE_MS: Final = 2_500
FROZEN_S: Final = 4.5
"""A frozen follower's connection is closed after `IDLE_MS`; the freeze must be longer."""
SESSIONS: Final = 64
"""Sessions that consumers open at a time: more than the cache has slots."""
KINDS: Final = ("freeze", "topic-churn", "config-update")
"""Kinds of faults that the cluster is prepared for."""
_LASTS_S: Final = 2.0
_ANSWERS_WITHIN_S: Final = 10.0
_CHURNED_PARTITIONS: Final = 6
_OTHER_SCOPE: Final = {"read": "request", "request": "read"}
_WORDS: Final = {
    "disconnects": "a broker was frozen until its connections were closed",
    "sessions": "more fetch sessions were opened than the cache has slots",
    "topics": "topics were created and deleted",
    "toggles": "the feature was switched off, or its scope changed",
}
_STOCK_TOGGLES: Final = "a config was updated"
"""What is said of the toggles where there is no feature."""


class Disturber:
    """Disturbs the brokers one after the other."""

    def __init__(self, arm: str, cluster: KafkaCluster) -> None:
        self._arm = arm
        self._cluster = cluster
        self._times: Counter[str] = Counter()
        self._brokers = cycle(range(1, BROKERS + 1))
        self._number = count()

    def steps(self) -> Iterator[Callable[[], None]]:
        """Yield disturbances without end; each broker gets each of them."""
        while True:
            yield from (self.sessions, self.disconnect, self.topics, self.toggle)
            next(self._brokers)  # three brokers and four steps: the next round begins elsewhere

    def done(self) -> dict[str, int]:
        """Return what was done, in words, and how often."""
        said = _WORDS if arms.has_agent(self._arm) else {**_WORDS, "toggles": _STOCK_TOGGLES}
        return {words: self._times[kind] for kind, words in said.items()}

    def disconnect(self) -> None:
        """Freeze a broker until others have closed its connections; it then connects again."""
        with self._cluster.fault("freeze", next(self._brokers)):
            time.sleep(FROZEN_S)
        self._times["disconnects"] += 1

    def sessions(self) -> None:
        """Open more fetch sessions at a broker than its cache has slots, and leave them."""
        broker = next(self._brokers)
        port = self._cluster.nodes[broker].port
        request = wire.fetch_in_new_session(TOPIC, broker - 1)
        try:
            for _ in range(SESSIONS):
                with wire.connect(port, _ANSWERS_WITHIN_S) as client:
                    exchange(client, request)
        except OSError as error:
            raise InsyncError(f"broker {broker}: a fetch was not answered: {error}") from error
        self._times["sessions"] += 1

    def topics(self) -> None:
        """Create and delete topics that a broker leads."""
        broker = next(self._brokers)
        before = len(self._cluster.fault.lifted)
        with self._cluster.fault("topic-churn", broker, topic=TOPIC, count=_CHURNED_PARTITIONS):
            time.sleep(_LASTS_S)
        figures = self._cluster.fault.lifted[before].line.figures
        self._times["topics"] += int(figures["created"])

    def toggle(self) -> None:
        """Change the feature of a broker for a while: off, or with the other scope, in turn."""
        scope = arms.settings(self._arm).get(arms.SCOPE)
        settings = {"log.cleaner.threads": "2"}
        if scope is not None:
            off = next(self._number) % 2 == 0
            settings = arms.SWITCHED_OFF if off else {arms.SCOPE: _OTHER_SCOPE[scope]}
        with self._cluster.fault("config-update", next(self._brokers), settings=settings):
            time.sleep(_LASTS_S)
        self._times["toggles"] += 1
