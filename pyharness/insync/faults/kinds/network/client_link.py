"""`client-link`: what clients and one broker send to each other is cut or comes late."""

from typing import Literal

from insync.faults.kind import FaultKind, KindWords, Requirements, Tags
from insync.faults.support.links import KEYS, BrokenLink, LinkFault, nothing_held
from insync.nodes import CLIENTS


class ClientLink(BrokenLink):
    """What the workload's clients and the broker send to each other is cut, or comes late."""

    kind: Literal["client-link"]

    @property
    def other(self) -> int:
        return CLIENTS


KIND = FaultKind(
    spec=ClientLink,
    words=KindWords(
        does="what clients and the broker send to each other is cut, delayed, slowed or lossy",
        mechanism="TCP proxies of the harness before the brokers' listeners for clients",
        evidence="as for `link`",
        notes=f"All clients of the workload, and this broker. {KEYS} Brokers replicate, and the"
        " controller is reached, as before. See [Links](#links).",
    ),
    inject=LinkFault,
    requires=lambda _, __: Requirements(client_links=True),
    missing=nothing_held,
    tags=Tags(once=True),
)
