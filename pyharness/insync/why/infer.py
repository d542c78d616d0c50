"""Draws the conclusions: from facts to findings, in a fixed order, each fact used once.

1. Processes: brokers that ended, were frozen or starved, or that only the controller lost.
2. Serving: fetches and appends that a leader was slow with although its process ran.
3. Followers that were dropped from ISRs and that neither of these explains.
4. Partitions without acks that nothing above explains.

A step may rely on the findings of the steps before. Which replicas stock Kafka drops is added at
the end (`with_blame`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from insync.why.acks import unacked_findings
from insync.why.answer import Answer, Blamed, Finding
from insync.why.drops import drop_findings
from insync.why.facts import Facts, Partition
from insync.why.processes import PAUSED, controllers_matter, long_undated, process_findings
from insync.why.rules import DEFAULT, Rules
from insync.why.serving import serving_findings
from insync.why.sites import late


def with_blame(facts: Facts, found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the findings with the followers that were dropped, or would have been."""
    for finding in found:
        dropped = list(_dropped(facts, finding))
        gone = {(follower, partition) for follower, partition, _ in dropped}
        held = (each for each in _held(facts, finding) if each[:2] not in gone)
        seen = [*dropped, *held]
        yield replace(finding, blamed=tuple(_blamed(finding, seen)))


Seen = tuple[int, Partition | None, bool]
"""A follower, a partition if it is known, and whether the agent kept the follower in its ISR."""


def _dropped(facts: Facts, finding: Finding) -> Iterator[Seen]:
    for each in facts.dropped:
        concerns = {each.leader, each.follower} & set(finding.brokers)
        if concerns and late(facts, each).touches(finding.span, within_ms=facts.lag_ms / 2):
            yield each.follower, each.partition, False


def _held(facts: Facts, finding: Finding) -> Iterator[Seen]:
    """Yield the followers that the agent kept, and those that waited for a fetch for a lag."""
    for each in facts.served:
        own = each.leader == finding.broker and each.touches(finding.span)
        if own and each.follower is not None and (each.held or each.ms >= facts.lag_ms):
            yield each.follower, each.partition, True


def _blamed(finding: Finding, seen: Iterable[Seen]) -> Iterator[Blamed]:
    by_follower: dict[tuple[int, bool], set[Partition]] = {}
    for follower, partition, kept in seen:
        known = by_follower.setdefault((follower, kept), set())
        known |= set() if partition is None else {partition}
    for (follower, kept), partitions in sorted(by_follower.items()):
        yield Blamed(
            follower=follower, partitions=tuple(sorted(partitions)), kept=kept,
            rightly=follower in finding.brokers,
        )  # fmt: skip


def answer_of(facts: Facts, about: str, rules: Rules = DEFAULT) -> Answer:
    """Return which brokers were slow in the span of the facts, and why."""
    found = process_findings(facts, rules)
    found += serving_findings(facts, rules, found)
    found += drop_findings(facts, rules, found)
    found += unacked_findings(facts, rules, found)
    ordered = sorted(found, key=lambda each: (each.span.since_ms, each.broker))
    return Answer(
        about=about, span=facts.span, findings=tuple(with_blame(facts, ordered)),
        gaps=tuple(_gaps(facts, rules, found)),
    )  # fmt: skip


def _gaps(facts: Facts, rules: Rules, found: Sequence[Finding]) -> list[str]:
    """Say what is not known, so that no answer is taken for more than it is."""
    said = []
    silent = sorted(facts.brokers - facts.heard)
    if silent and not facts.controller_known:
        said.append(f"nothing is known of {_named(silent)}: its agent sent nothing")
    elif silent:
        said.append(
            f"{_named(silent)}: no events of an agent, so the leader's own view is not known, only"
            " what controller and clients saw"
        )
    deaf = sorted(facts.heard - facts.pauses_known)
    if deaf:
        said.append(
            f"{_named(deaf)}: pauses of the process are not measured, which needs scope request"
        )
    if facts.clock_moved:
        said.append(
            f"{_named(sorted(facts.clock_moved))}: its wall clock jumped, so its times do not count"
        )
    if not facts.clients_known:
        said.append("no clients' view: a leader whose appends hang shows only if it times them")
    shared = sorted({each.broker for each in controllers_matter(facts, rules, found)})
    if shared:
        said.append(
            f"the controller fenced {_named(shared)} at one time: that is about the controller, of"
            " which nothing more is known"
        )
    said += [
        f"broker {pause.broker}: its process did not run for {pause.paused_ms:,.0f} ms, at some"
        f" time in {pause.ms / 1000:,.0f} s in which its agent had nothing to report"
        for pause in long_undated(facts, rules)
        if not any(each.site == PAUSED and each.broker == pause.broker
                   and each.span.touches(pause) for each in found)
    ]  # fmt: skip
    if facts.unreadable:
        said.append(f"lines that are not as they must be, and were left out: {facts.unreadable}")
    if not facts.by_time:
        said.append(
            "followers are out of sync by messages here, so who was dropped says nothing of time"
        )
    if not facts.brokers:
        said.append(
            "no broker is known: there are neither events of agents nor the controller's log"
        )
    return said


def _named(brokers: Sequence[int]) -> str:
    word = "broker" if len(brokers) == 1 else "brokers"
    return f"{word} {', '.join(map(str, brokers))}"
