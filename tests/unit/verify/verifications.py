"""Made-up verifications: their sides, and what levels found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from insync.brokers.kafka.java import Java
from insync.brokers.kafka.versions import pinned
from insync.events.verify_info import (
    AskedVerify,
    CheckRow,
    LevelInfo,
    SideInfo,
    VerifyInfo,
)
from insync.result import Table
from insync.verify.criteria import Criteria
from insync.verify.level import Level
from insync.verify.plan import VerifyPlan
from insync.verify.sides import Side

BASELINE = SideInfo(kafka="4.3.1", jars="b" * 64, arm="stock", claims="stock")
CANDIDATE = SideInfo(
    kafka="4.3.1+1a2b3c4d", path="/builds/<mine>|libs", jars="c" * 64, agent="a" * 64,
    arm="request", claims="request", settings={"num.io.threads": "2"},
)  # fmt: skip
PASSED = CheckRow(of="read-stall", check="isr_shrinks == 0", baseline="2", candidate="0",
                  outcome="pass", where="faults/01/candidate/r/report.html")  # fmt: skip
FAILED = CheckRow(of="send-stall", check="isr_shrinks == 0", baseline="2", candidate="3",
                  outcome="fail", why="expected isr_shrinks == 0, found 3")  # fmt: skip
UNKNOWN = CheckRow(of="freeze", check="under_min_isr_ms < 0.2 * baseline", baseline="0.1 s",
                   why="the baseline shows <b> | only",
                   candidate="<b>|</b>", outcome="unknown")  # fmt: skip
SEEN = CheckRow(of="features", check="scopes", candidate="read, request", outcome="observed")
TABLE = Table(title="Paired differences: candidate minus baseline",
                  columns=("scenario", "metric", "difference"), numeric=(2,),
                  rows=(("read-stall", "isr_shrinks", "-2"),))  # fmt: skip


def asked(*levels: str, **changed: Any) -> AskedVerify:
    keys = {"candidate": CANDIDATE, "baseline": BASELINE, "levels": levels, "criteria": "0" * 64}
    return AskedVerify.model_validate({**keys, **changed})


def found(level: str, outcome: Any, *rows: CheckRow, reason: str = "as it is") -> LevelInfo:
    return LevelInfo(level=level, outcome=outcome, reason=reason, took_s=61.4, rows=rows,
                     tables=(TABLE,) if rows else ())  # fmt: skip


def verification(*levels: LevelInfo, **changed: Any) -> VerifyInfo:
    names = changed.pop("names", tuple(each.level for each in levels))
    return VerifyInfo(
        schema=1, asked=asked(*names, **changed), insync="0.1.0", session="2026-11-25--031500",
        started_ms=1_764_040_500_000.0, took_s=61.4, host={"cores": "2"}, levels=levels,
    )  # fmt: skip


def plan(out: Path, *levels: Level, before: VerifyInfo | None = None) -> VerifyPlan:
    release = pinned("4.3.1")
    return VerifyPlan(
        candidate=Side(name="candidate", kafka="4.3.1", release=release, info=CANDIDATE),
        baseline=Side(name="baseline", kafka="4.3.1", release=release, info=BASELINE),
        asked=asked(*(level.name for level in levels)), levels=levels, criteria=Criteria(),
        criteria_text="schema = 1\n", out=out, java=Java(Path("/java"), 17, "Java 17"),
        before=before,
    )  # fmt: skip
