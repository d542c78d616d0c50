"""The tables that the tests go by can be printed, and name every mutant and metric."""

from __future__ import annotations

from mutants import BROKEN, CAUGHT
from unit.sensitivity.expectations import forms
from unit.sensitivity.page import tables
from verified_mutants import verified


def test_the_tables_have_every_mutant_and_every_metric_that_is_bounded() -> None:
    printed = tables()
    bounded = {each.metric for form in forms() for each in form.expectations()}
    assert all(f"\n| `{name}` |" in printed for name in {*BROKEN, *bounded})


def test_verify_failed_every_mutant_that_a_scenario_shows() -> None:
    """A new one is verified before its row is added: `python -m verified_mutants NAME`."""
    found = {mutant: row["verdict"] for mutant, row in verified().items()}
    assert found == dict.fromkeys((row.mutant for row in CAUGHT), "fail")
