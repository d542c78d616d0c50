"""Says an answer in words, once: for the terminal, for the page, and as Markdown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from insync.result import Table
from insync.why.answer import Blamed, Diagnosis, Kip501, Range, SlowBroker
from insync.why.facts import FOLLOWER_APPEND
from insync.why.processes import AWAY, ENDED, ENDED_BY_DISK, GONE, STOPPED

MOST_NAMES: Final = 12
_DISK: Final = (
    "Look at the disk of broker {0} at that time (latency, errors, neighbours), and at what its"
    " request handlers did.",
    "While other replicas are in the ISRs, move its leaders away (kafka-reassign-partitions.sh). Do"
    " not stop it while it is alone in an ISR: that partition would be offline.",
    "Leave the removed followers alone: they were not slow.",
)
_TODO: Final[dict[str, tuple[str, ...]]] = {
    "disk": _DISK,
    FOLLOWER_APPEND: (
        "Look at the disk of broker {0}. Removing it was right: its leaders could not wait.",
    ),
    "network": ("Look at the network of brokers {1} at that time, from both ends.",),
    "process": (
        "Look at garbage collections, the CPU quota and the host of broker {0} at that time.",
    ),
    ENDED: ("See why broker {0} ended: the last lines of its log, and the kernel's log.",),
    ENDED_BY_DISK: (
        "See in the log of broker {0} which directory failed, and why. Kafka ends a broker when its"
        " last one fails.",
    ),
    STOPPED: (
        "Nothing, if somebody restarted broker {0}: in a rolling restart leaders move and ISRs"
        " lack the broker that restarts.",
    ),
    GONE: ("See in its own log, and on its host, whether broker {0} ran at that time.",),
    "undecided": (
        "Not decided: compare the disk's latency of broker {0} at that time with errors of its"
        " network. `--prometheus` adds the brokers' metrics.",
        "While it lasts, `insync why --bootstrap HOST:PORT --jmx ID=HOST:PORT` decides it.",
    ),
}
_JUDGED: Final[dict[bool | None, str]] = {True: "rightly", False: "wrongly", None: "not decided"}
_AGAINST_SHRINKS: Final = (
    "Do not raise replica.lag.time.max.ms: it keeps slow followers as well.",
    "The agent does what KIP-501 says; solution 2, with a T below replica.lag.time.max.ms, hands"
    " leadership over before the lag is over.",
)
_ELR: Final = (
    "On Kafka 4.0 and later eligible.leader.replicas lets a replica lead that left the ISR below"
    " min.insync.replicas."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A finding in words: `tables` are its evidence, the removed followers, and lines of logs."""

    title: str
    when: str
    where: str
    tables: tuple[Table, ...]
    kip_501: tuple[str, ...]
    todo: tuple[str, ...]


def summary(answer: Diagnosis) -> str:
    """Return the answer as one sentence, without a full stop."""
    if answer.blind:
        return f"nothing could be read: {'; '.join(answer.unread)}"
    count, seconds = len(answer.findings), answer.span.ms / 1000
    if count:
        return f"{count} finding{'s' if count > 1 else ''}; {seconds:.1f} s were looked at"
    where = "in what could be read, " if answer.unread else "in "
    return f"no slow broker found {where}{seconds:.1f} s"


def terminal_lines(answer: Diagnosis) -> Iterator[str]:
    """Yield the findings with their evidence, and what is not known."""
    for finding in answer.findings:
        where = f"; {_named(finding)}" if finding.partitions else ""
        yield f"{title(finding)}; {_when(finding)}{where}"
        yield from (f"  {evidence}" for evidence in finding.evidence)
        yield from (f"  stock Kafka {_blame(blamed)}" for blamed in finding.blamed)
        if not finding.blamed:
            yield "  stock Kafka: no follower was removed, or would have been, as far as is known"
        if finding.kip_501 is not None:
            yield from (f"  {each}" for each in _kip_501(finding.kip_501)[:3])
        for line in finding.lines[:2]:
            yield f"  {line.file}:{line.number}: {line.text}"
    yield from unknown(answer)


def unknown(answer: Diagnosis) -> list[str]:
    """Return what could not be read, and what is not known, a sentence each."""
    unread = [] if answer.blind else [f"could not be read: {each}" for each in answer.unread]
    return [*unread, *(f"not known: {gap}" for gap in answer.gaps), *answer.notes]


def title(finding: SlowBroker) -> str:
    """Return which broker or link it was, and why."""
    names = " and ".join(map(str, finding.brokers))
    who = f"broker{'s' if finding.peer is not None else ''} {names}"
    if finding.cause == "undecided":
        return f"{who}: {finding.site}, undecided: {' or '.join(finding.may_be)}"
    waits = finding.cause == "disk" and finding.site not in AWAY
    note = " (its disk, or what waits for it)" if waits else ""
    return f"{who}: {finding.cause}, {finding.site}{note}"


def told(finding: SlowBroker) -> Told:
    """Return a finding in words."""
    return Told(
        title=title(finding), when=_when(finding, day=True), where=_named(finding),
        tables=(_evidence(finding), _removed(finding), _lines(finding)),
        kip_501=tuple(_kip_501(finding.kip_501)) if finding.kip_501 else (),
        todo=tuple(_todo(finding)),
    )  # fmt: skip


def _when(finding: SlowBroker, *, day: bool = False) -> str:
    since, until = finding.span.since_ms, finding.span.until_ms
    times = f", {finding.times} times" if finding.times > 1 else ""
    return f"{_day(since) if day else ''}{clock(since)} to {clock(until)}{times}"


def _named(finding: SlowBroker) -> str:
    more = len(finding.partitions) - MOST_NAMES
    names = ", ".join(map(str, finding.partitions[:MOST_NAMES]))
    return f"{names} and {more} more" if more > 0 else names


def _evidence(finding: SlowBroker) -> Table:
    rows = [[each.says, f"{each.value:,.0f} {each.unit}"] for each in finding.evidence]
    return Table(title="Evidence", columns=["what was seen", "value"], numeric=[1], rows=rows)


def _removed(finding: SlowBroker) -> Table:
    rows = [
        [str(each.follower), _JUDGED[each.rightly], _partitions(each),
         "the agent kept it" if each.kept else "removed"]
        for each in finding.blamed
    ]  # fmt: skip
    columns = ["follower", "judged", "partitions", "what happened"]
    empty = "No follower was removed, or would have been, as far as is known."
    return Table(title="Removed by stock Kafka", columns=columns, rows=rows, empty=empty)


def _lines(finding: SlowBroker) -> Table:
    count = finding.more_lines + len(finding.lines)
    more = f", {len(finding.lines)} of {count}" if finding.more_lines else ""
    return Table(
        title=f"Lines of the logs{more}", columns=["time", "file and line", "brokers", "line"],
        rows=[
            [clock(each.at_ms), f"{each.file}:{each.number}", ", ".join(map(str, each.brokers)),
             each.text]
            for each in finding.lines
        ],
        empty="None: logs are not the source.",
    )  # fmt: skip


def _blame(blamed: Blamed) -> str:
    did = "would remove" if blamed.kept else "removes"
    judged = _JUDGED[blamed.rightly]
    kept = "; the agent kept it" if blamed.kept else ""
    return f"{did} follower {blamed.follower} ({judged}): {_partitions(blamed)}{kept}"


def _partitions(blamed: Blamed) -> str:
    return ", ".join(map(str, blamed.partitions)) or "partitions not known"


def _kip_501(kip: Kip501) -> list[str]:
    if not kip.removals:
        return ["KIP-501: not its case, because no follower was removed for a slow leader"]
    spent = f"{kip.under_min_isr:,.1f} s under min.insync.replicas and {kip.offline:,.1f} s offline"
    return [
        f"KIP-501, solution 1: it would have kept {_range(kip.kept, '.0f')} of {kip.removals}"
        " removals",
        f"partitions spent {spent}, in sum; of that solution 1 would have saved"
        f" {_range(kip.solution_1, ',.1f')} s",
        "a step-down at a T below replica.lag.time.max.ms (solution 2) would have saved"
        f" {_range(kip.step_down, ',.1f')} s",
        *(f"not known: {each}" for each in kip.not_known),
    ]


def _range(values: Range, form: str) -> str:
    least, most = (format(each, form) for each in values)
    return least if least == most else f"{least} to {most}"


def _todo(finding: SlowBroker) -> Iterator[str]:
    steps = _TODO.get(finding.site, _TODO[finding.cause])
    brokers = " and ".join(map(str, finding.brokers))
    yield from (each.format(finding.broker, brokers) for each in steps)
    if finding.kip_501 is not None and finding.kip_501.kept[1]:
        yield from _AGAINST_SHRINKS
        yield from [_ELR] if finding.kip_501.offline else []


def clock(at_ms: float) -> str:
    """Return a time of day in UTC."""
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%H:%M:%S.%f}"[:-3] + "Z"


def _day(at_ms: float) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d} "


def markdown(answers: Sequence[Diagnosis]) -> str:
    """Return the answers as Markdown, for an incident report."""
    return "\n".join(line for answer in answers for line in _markdown(answer))


def _markdown(answer: Diagnosis) -> Iterator[str]:
    yield f"# {answer.about}: {summary(answer)}"
    for number, finding in enumerate(answer.findings, 1):
        said = told(finding)
        yield from ("", f"## {number}. {said.title}", "", said.when)
        yield from ("", f"Partitions: {said.where}") if said.where else ()
        for table in said.tables:
            yield from ("", f"### {table.title}", "")
            yield from _rows(table) if table.rows else (table.empty,)
        for heading, texts in (("KIP-501", said.kip_501), ("What to do now", said.todo)):
            if texts:
                yield from ("", f"### {heading}", "", *(f"- {each}" for each in texts))
    yield from ("", "## Not known, and notes", "", *(f"- {each}" for each in unknown(answer)), "")


def _rows(table: Table) -> Iterator[str]:
    for row in (table.columns, ["---"] * len(table.columns), *table.rows):
        cells = [each.replace("|", r"\|") for each in row]
        yield f"| {' | '.join(cells)} |"
