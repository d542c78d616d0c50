"""Check that a Kafka version has the protocols of a scenario's consumer groups."""

from typing import Final

from insync.brokers.kafka.versions import Release, numbers
from insync.clients import uses
from insync.errors import InputError
from insync.scenario.model import Workload

OLDEST_CONSUMER: Final = (4, 0)
"""From here on brokers serve KIP-848's protocol without a switch."""
OLDEST_JAVA: Final = (3, 0)
"""From here on the Java consumer tells its lag."""


def require_groups(workload: Workload, release: Release) -> None:
    """Check the protocol and the clients of each group; raises InputError."""
    version = numbers(release.version)
    for index, group in enumerate(workload.groups):
        where = f"workload.groups[{index}]"
        if group.protocol == "consumer" and version < OLDEST_CONSUMER:
            raise InputError(
                f"{where}.protocol: 'consumer', expected 'classic': Kafka {release.version} has"
                f" no other, {_written(OLDEST_CONSUMER)} is the first that has"
            )
        if uses(workload.client, "java") and version < OLDEST_JAVA:
            raise InputError(
                f"{where}: Kafka {release.version} with the client {workload.client}, expected"
                f" Kafka {_written(OLDEST_JAVA)} or newer for a group, or the client librdkafka"
            )


def _written(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
