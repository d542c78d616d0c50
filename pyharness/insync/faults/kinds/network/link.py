"""`link`: replication between two brokers is cut, delayed or slowed.

Evidence: while a link is cut, that something was to be sent and nothing passed; else for how
long pieces were delayed.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault, FaultContext, Window
from insync.faults.cluster import FaultCluster, LinkTraffic
from insync.faults.kind import (
    FaultKind,
    Recorded,
    Requirements,
    Tags,
    Words,
    always,
    both,
    figure,
)
from insync.faults.spec import Lasting, check_delay
from insync.fields import BrokerId, Time, broken
from insync.nodes import node_words


class Link(Lasting):
    """Replication between the broker and its `peer` is cut, delayed or slowed, both ways.

    Every byte takes `delay_ms` longer, or at most `bytes_per_s` pass in each direction.
    """

    intensity = ("delay_ms", "bytes_per_s")

    kind: Literal["link"]
    peer: BrokerId
    mode: Literal["cut", "delay", "slow"]
    delay_ms: Time = 0
    bytes_per_s: Annotated[int, Field(ge=0)] = 0

    @property
    def nodes(self) -> frozenset[int]:
        """Both brokers."""
        return frozenset({self.broker, self.peer})

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.peer == self.broker:
            raise broken("peer", self.peer, f"another broker than {self.broker}")
        check_delay(self.mode, self.delay_ms)
        if self.mode == "slow" and self.bytes_per_s == 0:
            raise broken("bytes_per_s", self.bytes_per_s, "more than 0 for mode 'slow'")
        if self.mode != "slow" and self.bytes_per_s != 0:
            raise broken("bytes_per_s", self.bytes_per_s, f"none for mode '{self.mode}'")
        return self


class LinkFault:
    """A `Fault`: one link between two brokers; the mode of the context says how it fails."""

    def __init__(
        self,
        treat: Callable[[], None],
        free: Callable[[], None],
        seen: Callable[[], LinkTraffic],
        context: FaultContext,
    ) -> None:
        """Plan it; `treat` and `free` take effect at once."""
        self._treat = treat
        self._free = free
        self._look = seen
        self._context = context
        self._window = Window()
        self._seen: LinkTraffic | None = None

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Cut, delay or slow the link from now on."""
        self._window.begin()
        self._treat()

    def lift(self) -> None:
        """Let everything pass again, first the pieces that were delayed."""
        if not self._window.is_open:
            return
        self._seen = self._look()
        self._window.end()
        self._free()

    def evidence(self) -> FaultLine:
        """Return what was delayed; a delay acted for the longest time that one piece took."""
        seen = self._seen
        if seen is None:
            return self._window.line(self._context, 0.0)
        figures = {
            "passed_bytes": float(seen.bytes),
            "held_bytes": float(seen.in_hand),
            "held_pieces": float(seen.pieces_held),
            "longest_ms": seen.longest_ms,
        }
        return self._window.line(self._context, self._acted_ms(seen), figures)

    def _acted_ms(self, seen: LinkTraffic) -> float:
        if self._context.mode == "delay":
            return seen.longest_ms
        if self._context.mode == "cut":
            acted = seen.in_hand > 0 and seen.bytes == 0
        else:
            acted = seen.pieces_held > 0
        return self._window.length_ms if acted else 0.0


def _inject(spec: Link, context: FaultContext, cluster: FaultCluster) -> Fault:
    pair = (spec.broker, spec.peer)
    treat = partial(
        cluster.treat_link, pair, cut=spec.mode == "cut", delay_ms=spec.delay_ms,
        bytes_per_s=spec.bytes_per_s,
    )  # fmt: skip
    at = replace(context, target=[node_words(spec.peer)], mode=spec.mode)
    return LinkFault(
        treat, partial(cluster.free_link, pair), partial(cluster.link_traffic, pair), at
    )


def _missing(plan: PlannedFault, seen: Recorded) -> str | None:
    cut = plan.mode == "cut"
    if cut and (passed := seen.figures.get("passed_bytes", 0.0)):
        return figure("passed_bytes", passed, "exactly 0")
    held = "held_bytes" if cut else "held_pieces"
    return None if seen.figures.get(held) else f"{held} was 0, expected at least 1"


KIND = FaultKind(
    spec=Link,
    words=Words(
        does="replication between two brokers is cut, delayed or slowed, both ways",
        mechanism="TCP proxies of the harness before the brokers' replication listeners",
        evidence="while cut, `held_bytes` but no `passed_bytes`; else how many pieces were delayed,"
        " and the longest time",
        notes="Between `broker` and `peer`; `mode` is `cut`, `delay` with `delay_ms`, or `slow`"
        " with `bytes_per_s`.",
    ),
    probes=both(always),
    inject=_inject,
    requires=lambda _, __: Requirements(links=True),
    missing=_missing,
    tags=Tags(once=True, at_both_ends=True),
)
