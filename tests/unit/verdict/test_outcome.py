"""One order of outcomes decides wherever several come together; a shell and JUnit read them."""

import json

from insync.outcome import Outcome, worst

FAIL, UNKNOWN, PASS, OBSERVED, SKIPPED = Outcome


def test_a_failure_outranks_what_is_not_known_and_that_outranks_a_pass() -> None:
    assert worst([PASS, UNKNOWN, FAIL, OBSERVED]) == FAIL
    assert worst([PASS, UNKNOWN, OBSERVED]) == UNKNOWN


def test_what_is_only_observed_or_skipped_counts_neither_for_nor_against() -> None:
    assert worst([PASS, OBSERVED, SKIPPED]) == PASS
    assert worst([OBSERVED, SKIPPED]) == OBSERVED


def test_without_anything_judged_the_verdict_is_unknown() -> None:
    assert worst([]) == UNKNOWN
    assert [each.verdict for each in Outcome] == [FAIL, UNKNOWN, PASS, UNKNOWN, UNKNOWN]


def test_only_a_pass_exits_with_0() -> None:
    assert [each.exit_code for each in Outcome] == [1, 3, 0, 3, 3]


def test_only_a_failure_and_an_unknown_are_problems_for_junit() -> None:
    tags = ["failure", "error", None, "skipped", "skipped"]
    assert [each.tag for each in Outcome] == tags
    assert [each.is_problem for each in Outcome] == [True, True, False, False, False]


def test_an_outcome_is_written_and_found_by_its_name() -> None:
    assert json.dumps({"verdict": FAIL}) == '{"verdict": "fail"}'
    assert Outcome("fail") is FAIL
    assert f"{FAIL}: {FAIL.mark}" == "fail: \u2717 fail"
