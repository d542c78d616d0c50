"""Updates configs of a running broker, or of a topic, as `kafka-configs` does."""

from collections.abc import Mapping
from typing import Final

from confluent_kafka import KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # not in its __all__
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    ResourceType,
)

from insync.brokers.cluster.admin import client
from insync.errors import InsyncError

ANSWERS_WITHIN_S: Final = 10.0


def update(bootstrap: str, broker: int, settings: Mapping[str, str | None]) -> None:
    """Set configs of a broker, or delete those that are None; raises InsyncError if refused.

    `bootstrap` is the broker that is asked.
    """
    _update(bootstrap, ResourceType.BROKER, str(broker), settings)


def update_topic(bootstrap: str, topic: str, settings: Mapping[str, str | None]) -> None:
    """Set configs of a topic, or delete those that are None; raises InsyncError if refused."""
    _update(bootstrap, ResourceType.TOPIC, topic, settings)


def _update(
    bootstrap: str, kind: ResourceType, name: str, settings: Mapping[str, str | None]
) -> None:
    entries = [
        ConfigEntry(
            key,
            value,
            incremental_operation=AlterConfigOpType.DELETE
            if value is None
            else AlterConfigOpType.SET,
        )
        for key, value in settings.items()
    ]
    resource = ConfigResource(kind, name, incremental_configs=entries)
    admin = client(bootstrap)
    try:
        for answer in admin.incremental_alter_configs([resource]).values():
            answer.result(timeout=ANSWERS_WITHIN_S)
    except (KafkaException, TimeoutError) as error:
        what = kind.name.lower()
        raise InsyncError(f"configs of {what} {name} were not updated: {error}") from error


def in_force(bootstrap: str, broker: int, settings: Mapping[str, str]) -> int:
    """Return how many of the settings are the broker's, by its own answer; raises InsyncError.

    Kafka keeps a config that it does not know, and does not tell its value.
    """
    admin = client(bootstrap)
    resource = ConfigResource(ResourceType.BROKER, str(broker))
    try:
        (answer,) = admin.describe_configs([resource]).values()
        entries: Mapping[str, ConfigEntry] = answer.result(timeout=ANSWERS_WITHIN_S)
    except (KafkaException, TimeoutError) as error:
        raise InsyncError(f"configs of broker {broker} were not described: {error}") from error
    return sum(
        name in entries
        and ConfigSource(entries[name].source) is ConfigSource.DYNAMIC_BROKER_CONFIG
        and entries[name].value in (value, None)
        for name, value in settings.items()
    )
