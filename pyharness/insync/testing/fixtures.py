"""Provide pytest fixtures: `from insync.testing.fixtures import kafka_cluster` in conftest.py."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from insync.testing.kafka_cluster import KafkaCluster

StartKafka = Callable[..., KafkaCluster]


@pytest.fixture
def kafka_cluster(tmp_path: Path) -> Iterator[StartKafka]:
    """Return a function that starts clusters; the end of the test stops them.

    It takes the arguments of `KafkaCluster`. The clusters' folders, with the brokers' logs, are
    under the test's `tmp_path`.
    """
    numbers = count(1)
    with ExitStack() as clusters:

        def start(**wanted: Any) -> KafkaCluster:
            folder = tmp_path / f"kafka-{next(numbers)}"
            return clusters.enter_context(KafkaCluster(**{"folder": folder, **wanted}))

        yield start
