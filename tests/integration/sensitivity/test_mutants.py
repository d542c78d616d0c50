"""The built-in scenarios fail on real brokers whose agent breaks a rule of its own."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from insync.analysis.verdict.decide import decide
from insync.analysis.verdict.repeat_facts import facts_of_run
from insync.brokers.kafka.java import Java
from insync.events.run_info import load_run
from insync.events.verdict import Verdict
from mutants import CAUGHT, Caught, record

if TYPE_CHECKING:
    from insync.analysis.engine.session import Session

AT_ONCE = 2
"""Clusters that run at the same time, as in a matrix."""


def judged(session: Session, runs: list[Path]) -> list[Verdict]:
    from unit.conftest import rows_of

    infos = [load_run(run) for run in runs]
    rows = rows_of(session, *runs)
    return [decide(info, facts_of_run(info, each)) for info, each in zip(infos, rows, strict=True)]


def found(row: Caught, verdict: Verdict) -> str:
    """Return what differs from a failure because of the metric of a row; empty if nothing does."""
    expected = rf"{row.arm}, repeat \d+: {row.metric} was "
    is_caught = verdict.verdict == "fail" and re.match(expected, verdict.reason)
    return "" if is_caught else f"{row}: {verdict.verdict}: {verdict.reason}"


@pytest.mark.long
def test_each_mutant_is_caught_by_the_scenario_that_is_named_for_it(
    java: Java, session: Session, tmp_path: Path
) -> None:
    folders = [tmp_path / str(number) for number in range(len(CAUGHT))]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        runs = list(pool.map(partial(record, java), CAUGHT, folders))
    verdicts = judged(session, runs)
    wrong = [found(row, verdict) for row, verdict in zip(CAUGHT, verdicts, strict=True)]
    assert [each for each in wrong if each] == []
