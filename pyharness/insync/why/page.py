"""Shows answers as one page: a picture per finding with a lane per broker, and all evidence."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from insync.outcome import Outcome
from insync.report.render import asset, environment, smallest_enough
from insync.report.timeline import lanes as drawn
from insync.report.timeline.timelines import STATE_NAMES, State
from insync.why.answer import Diagnosis, LedSpan, SlowBroker
from insync.why.words import clock, summary, title, told, unknown

MOST_FINDINGS: Final = (1_000, 30, 10)
MOST_LANES: Final = 12
"""With more brokers only those are drawn whose partitions lacked replicas."""
STATES: Final[dict[State, str]] = {**STATE_NAMES, "offline": "the broker was away"}


def page(answers: Sequence[Diagnosis]) -> str:
    """Return the page of some answers; if it is too large, it has fewer of the findings."""
    return smallest_enough(_page(answers, most) for most in MOST_FINDINGS)


def _page(answers: Sequence[Diagnosis], most: int) -> str:
    outcome = _outcome(answers)
    return environment().get_template("why.html.j2").render(
        answers=[_shown(each, most) for each in answers],
        headline=_headline(answers), outcome=outcome, badge=_BADGES[outcome],
        states=list(STATES.items()), lanes=drawn, style=asset("page.css") + asset("why.css"),
    )  # fmt: skip


_BADGES: Final = {
    Outcome.PASS: ("nobody was slow", "as far as its sources show"),
    Outcome.FAIL: ("decided", "the cause of all that was found"),
    Outcome.UNKNOWN: ("not decided", "a cause is open, or something could not be read"),
}


def _outcome(answers: Sequence[Diagnosis]) -> Outcome:
    if not all(each.is_complete for each in answers):
        return Outcome.UNKNOWN
    return Outcome.FAIL if any(each.findings for each in answers) else Outcome.PASS


def _headline(answers: Sequence[Diagnosis]) -> str:
    if len(answers) == 1:
        first, *more = [title(each) for each in answers[0].findings] or [summary(answers[0])]
        count = f", and {len(more)} more finding{'s' if len(more) > 1 else ''}" if more else ""
        return f"{first[0].upper()}{first[1:]}{count}"
    return f"{len(answers)} spans of time: {sum(len(each.findings) for each in answers)} findings"


def _shown(answer: Diagnosis, most: int) -> Mapping[str, object]:
    """Return what is shown of an answer: the worst findings, in the order of time."""
    found = answer.findings
    worst = sorted(range(len(found)), key=lambda at: _badness(found[at]), reverse=True)[:most]
    left_out = len(found) - len(worst)
    more = [f"{left_out} more findings are in --json, not on this page"] if left_out else []
    return {
        "about": answer.about,
        "summary": summary(answer),
        "findings": [(told(found[at]), _picture(found[at])) for at in sorted(worst)],
        "unknown": [*unknown(answer), *more],
    }


def _badness(finding: SlowBroker) -> tuple[int, float]:
    return sum(len(each.partitions) for each in finding.blamed), finding.span.ms


def _picture(finding: SlowBroker) -> drawn.SmallPicture | None:
    """Return a lane per broker: the bar is as high as the share of in-sync replicas it leads."""
    if not finding.lanes:
        return None
    brokers = sorted({each.broker for each in finding.lanes})
    if len(brokers) > MOST_LANES:
        changed = {
            each.broker for each in finding.lanes if each.away or each.in_sync < each.replicas
        }  # fmt: skip
        brokers = sorted({*finding.brokers, *sorted(changed)[:MOST_LANES]} & {*brokers})
    zero = min(each.since_ms for each in finding.lanes)
    length = (max(each.until_ms for each in finding.lanes) - zero) / 1e3
    per_s = (drawn.WIDTH - drawn.LEFT - drawn.RIGHT) / length

    def x(at_ms: float) -> float:
        return drawn.LEFT + (at_ms - zero) / 1e3 * per_s

    def top_of(broker: int) -> float:
        return drawn.TOP + brokers.index(broker) * (drawn.LANE + drawn.GAP)

    bottom = drawn.TOP + len(brokers) * (drawn.LANE + drawn.GAP) - drawn.GAP + 3
    since, until = x(finding.span.since_ms), x(finding.span.until_ms)
    name = " and ".join(f"broker {each}" for each in finding.brokers) + f": {finding.cause}"
    middle = drawn.inside((since + until) / 2, name)
    step = drawn.tick_step(length)
    return drawn.SmallPicture(
        arm="", repeat=0, height=bottom + drawn.AXIS, top=drawn.TOP, bottom=bottom, waits=(),
        bars=tuple(
            _bar(each, x, top_of(each.broker)) for each in finding.lanes if each.broker in brokers
        ),
        names=tuple(drawn.Mark(0, top_of(each) + drawn.LANE - 4, f"b{each}") for each in brokers),
        arrows=tuple(_arrows(finding, x, top_of, brokers)), changes=(),
        ticks=tuple(
            drawn.Mark(x(zero + at * step * 1e3), bottom, f"{at * step:g}")
            for at in range(int(length / step) + 1)
        ),
        faults=(drawn.Band(since, until - since, name, middle, drawn.NAME_Y),),
        words=f"{name}, seconds from {clock(zero)}",
    )  # fmt: skip


def _bar(lane: LedSpan, x: Callable[[float], float], top: float) -> drawn.Bar:
    share = lane.in_sync / lane.replicas if lane.replicas else 1.0
    state: State = "full" if lane.in_sync == lane.replicas else "reduced"
    state = "offline" if lane.away else "under" if lane.under else state
    height = drawn.LANE * (1.0 if lane.away else share)
    left, right = x(lane.since_ms), x(lane.until_ms)
    return drawn.Bar(
        x=left, y=top, width=max(right - left, drawn.LEAST_WIDTH if state != "full" else 0),
        filled_y=top + drawn.LANE - height, filled=height, state=state,
        title=(
            f"broker {lane.broker} from {clock(lane.since_ms)} to {clock(lane.until_ms)}: "
            + ("away" if lane.away else f"leads {lane.partitions} partitions, {lane.in_sync} of"
               f" {lane.replicas} replicas in sync, {lane.under} under min ISR")
        ),
    )  # fmt: skip


def _arrows(
    finding: SlowBroker, x: Callable[[float], float], top_of: Callable[[int], float],
    brokers: Sequence[int],
) -> Iterator[drawn.Mark]:  # fmt: skip
    """Yield a mark for each quoted line, on the lane of the broker that it is about first."""
    for line in finding.lines:
        if line.brokers[0] in brokers:
            at = max(drawn.LEFT, min(x(line.at_ms), drawn.WIDTH - drawn.RIGHT))
            yield drawn.Mark(at, top_of(line.brokers[0]), f"{clock(line.at_ms)}: {line.text}")
