"""Provide Kafka clusters of several brokers for tests, with or without the plugin.

The pytest plugin is in here, too, which pytest loads in every session: what is heavy is imported
when it is used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from insync.testing.history import History
    from insync.testing.kafka_cluster import KafkaCluster

__all__ = ["History", "KafkaCluster"]


def __getattr__(name: str) -> Any:
    if name == "KafkaCluster":
        from insync.testing.kafka_cluster import KafkaCluster

        return KafkaCluster
    if name == "History":
        from insync.testing.history import History

        return History
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
