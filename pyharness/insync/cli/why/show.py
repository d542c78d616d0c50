"""Print the answers of `insync why` on the terminal."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from rich.console import Console
from rich.markup import escape

from insync.why.answer import CAUSES, Answer, Blamed, Finding
from insync.why.facts import Partition


def show(console: Console, answers: Sequence[Answer]) -> None:
    """Print each answer: what was found, by which evidence, and what is not known."""
    for answer in answers:
        console.print(f"[bold]{escape(answer.about)}[/]: {_summary(answer)}", soft_wrap=True)
        for finding in answer.findings:
            for line in lines_of(finding, answer):
                console.print(escape(line), soft_wrap=True)
        for gap in answer.gaps:
            console.print(f"  not known: {escape(gap)}", soft_wrap=True)


def _summary(answer: Answer) -> str:
    seconds = answer.span.ms / 1000
    if not answer.findings:
        return f"no slow broker found in {seconds:.1f} s"
    count = len(answer.findings)
    return f"{count} finding{'s' if count > 1 else ''} in {seconds:.1f} s"


def lines_of(finding: Finding, answer: Answer) -> Iterator[str]:
    """Yield the lines of a finding."""
    since, until = _clock(finding.span.since_ms), _clock(finding.span.until_ms)
    yield f"  {_who(finding)}: {_cause(finding)}; {since} to {until}{_where(finding.partitions)}"
    for evidence in finding.evidence:
        yield f"    {evidence}"
    for blamed in finding.blamed:
        yield f"    {_blame(blamed)}"
    if not finding.blamed:
        yield "    stock Kafka: no follower was removed, or would have been, as far as is known"


def _who(finding: Finding) -> str:
    if finding.peer is None:
        return f"broker {finding.broker}"
    return f"brokers {finding.broker} and {finding.peer}"


def _cause(finding: Finding) -> str:
    words = f"{finding.cause}, {finding.site} ({CAUSES[finding.cause]})"
    if finding.may_be:
        words = f"{words[:-1]}: {' or '.join(finding.may_be)})"
    return words


def _where(partitions: Sequence[Partition]) -> str:
    return f"; {', '.join(map(str, partitions))}" if partitions else ""


def _blame(blamed: Blamed) -> str:
    where = ", ".join(map(str, blamed.partitions)) or "partitions not known"
    did = "would remove" if blamed.kept else "removes"
    judged = "rightly" if blamed.rightly else "wrongly"
    kept = "; the agent kept it" if blamed.kept else ""
    return f"stock Kafka {did} follower {blamed.follower} ({judged}): {where}{kept}"


def _clock(at_ms: float) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%H:%M:%S.%f}"[:-3] + "Z"
