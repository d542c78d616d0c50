"""Made-up results: checks of every outcome, and trees of them."""

from insync.outcome import Outcome
from insync.result import Result, Table

PASSED = Result(
    of="read-stall", expected="isr_shrinks == 0", baseline="2", found="0", outcome=Outcome.PASS,
    links={"report": "faults/01/candidate/r/report.html"},
)  # fmt: skip
FAILED = Result(
    of="send-stall", expected="isr_shrinks == 0", baseline="2", outcome=Outcome.FAIL,
    found="expected isr_shrinks == 0, found 3",
)  # fmt: skip
UNKNOWN = Result(
    of="freeze", expected="under_min_isr_ms < 0.2 * baseline", baseline="0.1 s",
    found="the baseline shows <b>|</b> only", outcome=Outcome.UNKNOWN,
)  # fmt: skip
SEEN = Result(of="features", expected="scopes", found="read, request", outcome=Outcome.OBSERVED)
TABLE = Table(
    title="Paired differences: candidate minus baseline",
    columns=["scenario", "metric", "difference"], numeric=[2],
    rows=[["read-stall", "isr_shrinks", "-2"]],
)  # fmt: skip


def part(of: str, *checks: Result) -> Result:
    return Result(of=of, children=checks, tables=(TABLE,), seconds=61.4)


def whole(*parts: Result) -> Result:
    return Result(of="My build", children=parts, facts={"cores": "2"})
