"""Define the event lines of consumer groups."""

from dataclasses import dataclass
from typing import Literal

from insync.clients import Library, Protocol
from insync.events.schema import Line

GroupEvent = Literal["assigned", "revoked", "lost", "read", "lag", "committed", "stored"]


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupLine(Line):
    """What happened to a member of a consumer group, to one partition.

    `group` is the number of the group in the scenario. `type` says what happened: the member got
    the partition ("assigned"), gave it back ("revoked") or had lost it before it could ("lost"); it
    processed the record at `offset` ("read"); it was `lag` records behind, at `offset` ("lag"); the
    coordinator accepted its commit of `offset`, the next one to process ("committed"). "stored" is
    what the coordinator has at the end of the repeat, of no `member`.
    """

    arm: str
    repeat: int
    topic: str
    t_ms: float
    group: int
    protocol: Protocol
    member: int | None
    type: GroupEvent
    partition: int
    offset: int | None = None
    lag: int | None = None
    client: Library | None = None
