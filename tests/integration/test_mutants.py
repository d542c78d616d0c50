"""The built-in scenarios fail on real brokers whose agent breaks a rule of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from insync.brokers.kafka.java import Java
from mutants import CAUGHT, Caught, record

pytestmark = pytest.mark.cluster

SHORT = next(row for row in CAUGHT if row.mutant == "released-at-once")


def check(row: Caught, verdict: dict[str, Any]) -> None:
    """Check that a run failed, and that only the arm's metric is the reason."""
    assert verdict["verdict"] == "fail", verdict["reason"]
    assert verdict["reason"].startswith(f"{row.arm}, repeat 1: {row.metric} was "), row


def test_a_scenario_fails_with_a_mutant(
    java: Java, judge: Callable[..., Any], tmp_path: Path
) -> None:
    (verdict,) = judge(record(java, SHORT, tmp_path / "run"))
    check(SHORT, verdict)


@pytest.mark.long
def test_each_mutant_is_caught_by_the_scenario_that_is_named_for_it(
    java: Java, judge: Callable[..., Any], tmp_path: Path
) -> None:
    runs = [record(java, row, tmp_path / str(number)) for number, row in enumerate(CAUGHT)]
    for row, verdict in zip(CAUGHT, judge(*runs), strict=True):
        check(row, verdict)
