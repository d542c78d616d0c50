"""Sets the brokers' metrics beside a finding; they decide between disk and network, if they can.

A leader that answered fetches or writes slowly, itself, was slow: no link is in its local time.
That a time was not high decides nothing, because a fetch that hangs is counted when it ends.
"""

from dataclasses import replace
from statistics import median

from insync.why import rules
from insync.why.answer import Evidence, SlowBroker
from insync.why.facts import APPEND, Facts, Gauge, Span

_LOW = "idle request handlers"
"""Of what little is bad; of all others much is."""
_TIMES = ("LocalTimeMs", "log flush time")


def with_metrics(facts: Facts, finding: SlowBroker) -> SlowBroker:
    """Return a finding with the metrics of its time that were unusual, and what they decide."""
    near = Span(
        since_ms=finding.span.since_ms - rules.SCRAPED_MS,
        until_ms=finding.span.until_ms + rules.SCRAPED_MS,
    )
    own = [each for each in facts.gauges if each.broker in (None, *finding.brokers)]
    evidence, slow = [], []
    for kind, broker in sorted({(each.kind, each.broker) for each in own}, key=str):
        series = [each for each in own if (each.kind, each.broker) == (kind, broker)]
        during = [each.value for each in series if near.holds(each.at_ms)]
        usual = _usual(series, near)
        worst = (min if kind == _LOW else max)(during, default=usual)
        bad = worst < 0.7 * usual if kind == _LOW else worst > max(2 * usual, 0)
        if bad:
            whose = "the cluster" if broker is None else f"broker {broker}"
            unit = "ms" if kind.startswith(_TIMES) else "%" if kind == _LOW else ""
            value, was = (100 * each if kind == _LOW else each for each in (worst, usual))
            evidence.append(Evidence(f"{kind} of {whose}, usually {was:,.0f}", value, unit))
        if bad and kind.startswith(_TIMES) and broker == finding.broker:
            slow += [kind] if worst >= rules.SERVED_LAGS * facts.lag_ms > usual else []
    if finding.cause == "undecided" and "disk" in finding.may_be and slow and not finding.peer:
        site = APPEND if all("Fetch" not in each for each in slow) else "fetch"
        finding = replace(finding, cause="disk", site=site, may_be=())
    return replace(finding, evidence=(*finding.evidence, *evidence))


def _usual(series: list[Gauge], near: Span) -> float:
    """Return the median of what was measured before a time, or else at any other one."""
    before = [each.value for each in series if each.at_ms < near.since_ms]
    other = [each.value for each in series if not near.holds(each.at_ms)]
    return median(before or other) if other else 0.0
