"""`quorum-link`: what a controller and the other controllers send to each other is cut or late."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from insync.faults.kind import FaultKind, KindWords, Requirements, Tags
from insync.faults.spec import OnAnyProcess
from insync.faults.support.links import KEYS, BrokenLink, LinkFault, nothing_held
from insync.fields import AnyNodeId, broken
from insync.nodes import CONTROLLER_ID


class QuorumLink(BrokenLink, OnAnyProcess):
    """What a controller and others of three send to each other is cut, delayed, slowed or lossy."""

    kind: Literal["quorum-link"]
    broker: AnyNodeId
    others: Annotated[int, Field(ge=1, le=2)] = 2

    @property
    def other(self) -> int:
        return CONTROLLER_ID

    @property
    def most_others(self) -> int:
        return self.others

    @property
    def other_words(self) -> str:
        return "the other controllers" if self.others == 2 else "one of the other controllers"

    @model_validator(mode="after")
    def _check_controller(self) -> Self:
        if self.broker < CONTROLLER_ID:
            raise broken("broker", self.broker, 'target "controller" or "active controller"')
        return self


KIND = FaultKind(
    spec=QuorumLink,
    words=KindWords(
        does="what a controller and the others of three send to each other is cut, delayed, slowed"
        " or lossy",
        mechanism="a TCP proxy of the harness before each controller's listener",
        evidence="as for `link`",
        notes=f"Votes, the metadata log, and who leads. `others`: 2, or 1 of them only. {KEYS}"
        " Brokers reach all controllers as before. KRaft only, with `broker.controllers = 3`. See"
        " [Links](#links).",
    ),
    inject=LinkFault,
    requires=lambda _, __: Requirements(controller_links=True),
    missing=nothing_held,
    tags=Tags(once=True),
)
