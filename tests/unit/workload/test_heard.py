"""How long a broker is silent toward a consumer, from librdkafka's statistics."""

from __future__ import annotations

import json
from collections.abc import Mapping

from insync.workload.heard import Silences

TOPIC = "seed-0"


class Consumer:
    """A consumer whose clock and statistics the test sets."""

    def __init__(self) -> None:
        self.now = 100.0
        self._silences = Silences(TOPIC, lambda: self.now)

    def hears(self, leaders: Mapping[int, int], idle_ms: Mapping[int, float]) -> dict[int, float]:
        brokers = {
            f"localhost:{node}/{node}": {"nodeid": node, "rxidle": int(ms * 1_000)}
            for node, ms in idle_ms.items()
        }
        partitions = {str(number): {"leader": node} for number, node in leaders.items()}
        topics = {TOPIC: {"partitions": partitions}, "other": {"partitions": {"0": {"leader": 9}}}}
        return dict(self._silences.of(json.dumps({"brokers": brokers, "topics": topics})))


def test_a_leader_is_silent_since_its_last_answer() -> None:
    consumer = Consumer()
    consumer.hears({0: 1, 1: 2}, {1: 10, 2: 10})
    consumer.now += 5
    assert consumer.hears({0: 1, 1: 2}, {1: 4_000, 2: 20, 3: 5_000}) == {1: 4_000, 2: 20}


def test_the_time_before_a_broker_led_a_partition_does_not_count() -> None:
    consumer = Consumer()
    consumer.hears({0: 1}, {1: 10, 2: 60_000})
    consumer.now += 1
    assert consumer.hears({0: 2}, {1: 10, 2: 61_000}) == {2: 0}
    consumer.now += 1
    assert consumer.hears({0: 2}, {1: 10, 2: 62_000}) == {2: 1_000}


def test_a_broker_that_never_answered_is_silent_since_it_was_asked() -> None:
    consumer = Consumer()
    consumer.hears({0: 1}, {})
    consumer.now += 2
    assert consumer.hears({0: 1}, {1: -0.001}) == {1: 2_000}


def test_a_partition_without_a_leader_names_no_broker() -> None:
    assert Consumer().hears({0: -1}, {-1: 10}) == {}


def test_before_the_client_knows_the_topic_there_is_nothing_to_say() -> None:
    assert Silences(TOPIC).of("{}") == {}
