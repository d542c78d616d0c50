"""Bugs of Kafka's past are found on real brokers of an affected release, not on the fixed one."""

from pathlib import Path

import pytest

from insync.bugs.campaign import Bugs
from insync.bugs.corpus import bugs
from insync.engine.campaign import Options, run_campaign
from insync.outcome import Outcome
from insync.progress import Progress

QUICK = ("KAFKA-15046", "KAFKA-15583")
"""Their releases are pinned: no jars need to be resolved."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=() if each in QUICK else pytest.mark.long, id=each)
        for each in bugs()
    ],
)
def test_a_bug_is_found_where_it_is_and_not_where_it_was_fixed(name: str, tmp_path: Path) -> None:
    result = run_campaign(Bugs([name]), Options(out=tmp_path), Progress(), tmp_path)
    assert result.outcome == Outcome.PASS, result.reason
