"""`link`: replication between two brokers is cut, delayed, slowed or lossy."""

from typing import Literal, Self

from pydantic import model_validator

from insync.faults.kind import FaultKind, KindWords, Requirements, Tags
from insync.faults.support.links import KEYS, BrokenLink, LinkFault, nothing_held
from insync.fields import BrokerId, broken


class Link(BrokenLink):
    """Replication between the broker and its `peer` is cut, delayed, slowed or lossy."""

    kind: Literal["link"]
    peer: BrokerId

    @property
    def other(self) -> int:
        return self.peer

    @property
    def nodes(self) -> frozenset[int]:
        return frozenset({self.broker, self.peer})

    @model_validator(mode="after")
    def _check_peer(self) -> Self:
        if self.peer == self.broker:
            raise broken("peer", self.peer, f"another broker than {self.broker}")
        return self


KIND = FaultKind(
    spec=Link,
    words=KindWords(
        does="replication between two brokers is cut, delayed, slowed or lossy",
        mechanism="TCP proxies of the harness before the brokers' replication listeners",
        evidence="while cut, `held_bytes` but no `passed_bytes`; otherwise how many pieces were"
        " delayed or lost, and the longest time; bytes per direction",
        notes=f"Between `broker` and `peer`. {KEYS} See [Links](#links).",
    ),
    inject=LinkFault,
    requires=lambda _, __: Requirements(links=True),
    missing=nothing_held,
    tags=Tags(once=True, at_both_ends=True),
)
