"""Name the client libraries that a workload can use, and say which of its parts each one runs."""

from typing import Final, Literal

Client = Literal["librdkafka", "java", "both"]
"""librdkafka; Kafka's own Java client, of the brokers' version; or half of each."""
Library = Literal["librdkafka", "java"]
LIBRARIES: Final[tuple[Library, ...]] = ("librdkafka", "java")
DEFAULT_CLIENT: Final[Client] = "librdkafka"

Acks = Literal["1", "all"]
Compression = Literal["none", "gzip", "snappy", "lz4", "zstd"]
Protocol = Literal["classic", "consumer"]
"""The protocol of a consumer group: the first one, or that of KIP-848."""


def uses(client: Client, library: Library) -> bool:
    return client in (library, "both")


def library_of(client: Client, number: int) -> Library:
    """Return the library of a workload's client by its number; with both they take turns."""
    if client == "both":
        return LIBRARIES[number % len(LIBRARIES)]
    return client
