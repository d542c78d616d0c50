"""The typed form of a consumer group in a scenario."""

from typing import Annotated

from pydantic import Field

from insync.clients import Protocol
from insync.fields import Part, Span


class Group(Part):
    """A consumer group that subscribes to the topic, beside the consumers without a group.

    Args:
        protocol: "classic", or "consumer": the one of KIP-848, from Kafka 4.0 on.
        members: its consumers; with both client libraries they take turns.
        commit_every_ms: how often a member commits the offsets of what it has processed.
        rejoin_every_ms: how often a member leaves, one after the other, and joins again at once,
            until the producers stop; None: never.
        session_timeout_ms: after what time a silent member is out of the group; it sends a
            heartbeat ten times as often. None: Kafka's defaults, 45 s and 3 or 5 s.

    """

    protocol: Protocol = "classic"
    members: Annotated[int, Field(ge=1, le=8)] = 2
    commit_every_ms: Span = 200
    rejoin_every_ms: Span | None = None
    session_timeout_ms: Annotated[int, Field(ge=100, le=3_600_000)] | None = None
