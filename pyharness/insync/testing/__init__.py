"""Provide Kafka clusters of several brokers for tests, with or without the plugin.

The pytest plugin is in here, too, which pytest loads in every session: what is heavy is imported
when it is used.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from insync.testing.history import History
    from insync.testing.kafka_cluster import KafkaCluster

__all__ = ["History", "KafkaCluster"]

Kind = Literal["auto", "local", "docker", "existing"]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The cluster that the options of pytest ask for."""

    kafka: str
    cluster: Kind
    bootstrap: str | None


_PLACES: Final = {"History": "history", "KafkaCluster": "kafka_cluster"}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
