"""docs/extend/sensitivity.md has the tables that the tests go by."""

from __future__ import annotations

from pathlib import Path

from mutants import CAUGHT
from unit.sensitivity.page import FOOT, HEAD, tables
from verified_mutants import verified

PAGE = Path(__file__).parents[3] / "docs" / "extend" / "sensitivity.md"


def test_the_page_has_the_generated_tables() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.partition(f"{HEAD}\n")[2].partition(FOOT)[0].strip() == tables().strip()


def test_verify_failed_every_mutant_that_a_scenario_shows() -> None:
    """A new one is verified before its row is added: `python -m verified_mutants NAME`."""
    found = {mutant: row["verdict"] for mutant, row in verified().items()}
    assert found == dict.fromkeys((row.mutant for row in CAUGHT), "fail")
