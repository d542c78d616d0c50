"""What the kinds of broken links share: their keys, the fault, and its evidence.

Evidence: in each direction that is treated, how many bytes waited and how many passed. A cut acted
if something waited and nothing passed; otherwise pieces were delayed, or lost and sent again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault
from insync.faults.kind import RecordedFigures, counted, figure
from insync.faults.spec import Lasting, check_delay
from insync.fields import Time, broken
from insync.nodes import CLIENTS, CONTROLLER_ID, node_words

if TYPE_CHECKING:
    from insync.brokers.cluster.links.rules import Passed

Direction = Literal["both", "to", "from"]
KEYS: Final = (
    "`mode` is `cut`, `delay` with `delay_ms`, `slow` with `bytes_per_s`, or `loss` with"
    " `loss_percent`; `direction` is `both`, or what is sent `to` or `from` the broker."
)
"""The keys of all kinds of links, in words."""
_FIGURE_OF: Final = {"cut": "held_bytes", "loss": "lost_pieces"}


class BrokenLink(Lasting):
    """What passes between the broker and another side is cut, delayed, slowed or lost.

    Every byte takes `delay_ms` longer, or at most `bytes_per_s` pass in each direction, or
    `loss_percent` of the pieces are lost and arrive when they have been sent again.
    """

    intensity = ("delay_ms", "bytes_per_s", "loss_percent")

    mode: Literal["cut", "delay", "slow", "loss"]
    direction: Direction = "both"
    delay_ms: Time = 0
    bytes_per_s: Annotated[int, Field(ge=0)] = 0
    loss_percent: Annotated[float, Field(ge=0, le=90)] = 0

    @property
    def other(self) -> int:
        """The other side: a node, `CLIENTS`, or `CONTROLLER_ID` for the controllers."""
        raise NotImplementedError

    @property
    def most_others(self) -> int | None:
        """How many controllers the other side has at most; None: no limit."""
        return None

    @property
    def other_words(self) -> str:
        return "clients" if self.other == CLIENTS else node_words(self.other)

    @model_validator(mode="after")
    def _check_mode(self) -> Self:
        check_delay(self.mode, self.delay_ms)
        for mode, key in (("slow", "bytes_per_s"), ("loss", "loss_percent")):
            value = getattr(self, key)
            if self.mode == mode and not value:
                raise broken(key, value, f"more than 0 for mode '{mode}'")
            if self.mode != mode and value:
                raise broken(key, value, f"none for mode '{self.mode}'")
        return self


class LinkFault(Fault[BrokenLink]):
    def plan(self) -> None:
        self.context = replace(self.context, target=[self.spec.other_words])
        self._seen: Mapping[str, Passed] = {}

    def inject(self) -> None:
        from insync.brokers.cluster.links.rules import Treatment  # here: scenarios load no brokers

        spec = self.spec
        self.window.begin()
        for other in self._others():
            ways = self._ways(other)
            treatment = Treatment(
                cut=spec.mode == "cut", delay_s=spec.delay_ms / 1000, bytes_per_s=spec.bytes_per_s,
                loss=spec.loss_percent / 100, seed=self.context.repeat,
                only=next(iter(ways.values())) if len(ways) == 1 else None,
            )  # fmt: skip
            self.cluster.proxies.treat(self.node, other, treatment)

    def end(self) -> None:
        """Let everything pass again, first the pieces that were delayed."""
        links, others = self.cluster.proxies, self._others()
        self._seen = {
            f"{name}_{other}": links.passed(*way)
            for other in others
            for name, way in self._ways(other).items()
        }
        self.window.end()
        for other in others:
            links.free(self.node, other)

    def evidence(self) -> FaultLine:
        """Return what was delayed; a delay acted for the longest time that one piece took."""
        seen = self._seen
        figures: dict[str, float] = {
            "passed_bytes": sum(each.bytes for each in seen.values()),
            "held_bytes": sum(_held(each) for each in seen.values()),
            "held_pieces": sum(each.pieces_held for each in seen.values()),
            "longest_ms": max((each.longest_ms for each in seen.values()), default=0.0),
        }
        if self.spec.mode == "loss":
            figures["lost_pieces"] = sum(each.pieces_lost for each in seen.values())
        for name, each in seen.items():
            way = name.partition("_")[0]
            for figure_of, count in (("passed_bytes", each.bytes), ("held_bytes", _held(each))):
                figures[f"{figure_of}_{way}"] = figures.get(f"{figure_of}_{way}", 0) + count
        return self.line(self._acted_ms(figures), figures)

    def _acted_ms(self, figures: Mapping[str, float]) -> float:
        mode = self.spec.mode
        if mode == "delay":
            return figures["longest_ms"]
        acted = figures[_FIGURE_OF.get(mode, "held_pieces")] > 0
        if mode == "cut":
            acted = acted and figures["passed_bytes"] == 0
        return self.acted_if(acted)

    def _others(self) -> Sequence[int]:
        """Return the nodes of the other side, or `CLIENTS`."""
        if self.spec.other != CONTROLLER_ID:
            return [self.spec.other]
        others = [each for each in self.cluster.proxies.controllers if each != self.node]
        return others[: self.spec.most_others]

    def _ways(self, other: int) -> dict[str, tuple[int, int]]:
        """Return sender and receiver of each direction that is treated."""
        ways = {"to": (other, self.node), "from": (self.node, other)}
        direction = self.spec.direction
        return ways if direction == "both" else {direction: ways[direction]}


def _held(seen: "Passed") -> int:
    """Return the bytes that waited: until now, until their connection ended, or for a while."""
    return seen.in_hand + seen.bytes_dropped + seen.bytes_delayed


def nothing_held(plan: PlannedFault, seen: RecordedFigures) -> str | None:
    """Say what passed a cut, or that nothing was held or lost."""
    if plan.mode == "cut" and (passed := seen.figures.get("passed_bytes", 0.0)):
        return figure("passed_bytes", passed, "exactly 0")
    return counted(_FIGURE_OF.get(plan.mode, "held_pieces"))(plan, seen)
