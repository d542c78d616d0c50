"""`controller-link`: what a broker and the controllers send to each other is cut or comes late."""

from typing import Literal

from insync.faults.kind import FaultKind, KindWords, Requirements, Tags
from insync.faults.support.links import KEYS, BrokenLink, LinkFault, nothing_held
from insync.nodes import CONTROLLER_ID


class ControllerLink(BrokenLink):
    """What the broker and the controllers send to each other is cut, delayed, slowed or lossy."""

    kind: Literal["controller-link"]

    @property
    def other(self) -> int:
        return CONTROLLER_ID


KIND = FaultKind(
    spec=ControllerLink,
    words=KindWords(
        does="what the broker and the controllers send to each other is cut, delayed, slowed or"
        " lossy",
        mechanism="a TCP proxy of the harness before each controller's listener",
        evidence="as for `link`",
        notes="All controllers. Heartbeats, the metadata log, changes of ISRs and forwarded"
        f" requests. {KEYS}"
        " A broker whose heartbeats are cut for longer than its session"
        " (`broker_session_timeout_ms`) is fenced, and its partitions get other leaders. KRaft"
        " only. See [Links](#links).",
    ),
    inject=LinkFault,
    requires=lambda _, __: Requirements(controller_links=True),
    missing=nothing_held,
    tags=Tags(
        once=True,
        late_shrinks={"controller-link": "the leader could not tell the controller in time"},
    ),
)
