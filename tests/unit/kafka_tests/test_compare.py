"""How tests are compared, on made-up results."""

import pytest

from insync.kafka_tests.judge import Known, agree, compare, known_differences
from insync.kafka_tests.results import ClassResult, TestResult


def of(**outcomes: str) -> ClassResult:
    return ClassResult(
        {name: TestResult(name, f"{name}()", name, end, 1, f"{end}: trace")
         for name, end in outcomes.items()}
    )  # fmt: skip


def test_every_changed_missing_or_new_test_is_a_difference() -> None:
    found = compare(
        "T", [of(a="passed", b="skipped", c="failed")], [of(a="failed", c="passed", d="passed")]
    )
    assert [(each.test, each.baseline, each.outcomes, each.kind) for each in found] == [
        ("T.a()", ("passed",), ("failed",), "different"),
        ("T.b()", ("skipped",), ("not run",), "different"),
        ("T.c()", ("failed",), ("passed",), "different"),
        ("T.d()", ("not run",), ("passed",), "different"),
    ]
    assert found[0].detail == "failed: trace"


@pytest.mark.parametrize(
    ("baseline", "arm", "same"),
    [
        (("passed", "passed"), ("failed", "passed"), True),
        (("failed", "passed"), ("passed", "passed"), True),
        (("passed", "passed"), ("failed", "failed"), False),
        (("passed", "failed"), ("failed", "failed"), False),
        (("failed", "failed"), ("passed", "failed"), False),
        (("failed", "skipped"), ("skipped", "failed"), True),
        (("skipped",), ("not run",), False),
    ],
)
def test_a_test_is_flaky_only_if_it_passed_on_both_sides(
    baseline: tuple[str, ...], arm: tuple[str, ...], same: bool
) -> None:
    assert agree(baseline, arm) is same


def test_a_class_that_failed_as_a_whole_is_flaky_if_it_does_not_when_run_again() -> None:
    whole = ClassResult({"[class]": TestResult("[class]", "T", "T", "failed", container=True)})
    right = of(a="passed")
    found = compare("T", [right, right], [whole, right])
    assert [(each.id, each.kind, each.outcomes) for each in found] == [
        ("[class]", "flaky", ("failed", "passed")),
        ("a", "flaky", ("not run", "passed")),
    ]
    found = compare("T", [right, right], [whole, whole])
    assert [each.kind for each in found] == ["different", "different"]


def test_a_known_difference_is_known_only_if_it_ends_as_it_is_known_to() -> None:
    known = Known("T.a()", "failed", "trace", "because")
    (found,) = compare("T", [of(a="passed")], [of(a="failed")], [known])
    assert (found.kind, found.reason) == ("known", "because")
    for other in (
        Known("T.a()", "skipped", "trace", "because"),
        Known("T.a()", "failed", "another trace", "because"),
        Known("T.b()", "failed", "trace", "because"),
    ):
        (found,) = compare("T", [of(a="passed")], [of(a="failed")], [other])
        assert found.kind == "different"


def test_the_known_failure_of_configs_must_name_one_of_ours() -> None:
    name = "kafka.server.KafkaConfigTest"
    (known,) = (each for each in known_differences() if each.test.startswith(name))
    for config, kind in (("insync.relinquish.via", "known"), ("log.dirs", "different")):
        trace = f"Error: Expected exception for property `{config}` with invalid value `-1`"
        failed = {"x": TestResult("x", "testFromPropsInvalid()", "x", "failed", 1, trace)}
        passed = {"x": TestResult("x", "testFromPropsInvalid()", "x", "passed", 1)}
        (found,) = compare(name, [ClassResult(passed)], [ClassResult(failed)], [known])
        assert found.kind == kind


@pytest.mark.parametrize(
    ("test", "moved"),
    [
        ("testFetchMessagesWhenNotFollowerForOnePartition()", 1),
        ("testFollowerFetchWithDefaultSelectorNoForcedHwPropagation()", 2),
    ],
)
def test_the_moved_high_watermark_is_known_in_its_arm_and_no_other_value_is(
    test: str, moved: int
) -> None:
    name = "kafka.server.ReplicaManagerTest"
    passed = ClassResult({"x": TestResult("x", test, "x", "passed", 1)})
    for arm, value, kind in (
        ("log-start", moved, "known"),
        ("log-start", moved + 1, "different"),
        ("request", moved, "different"),
    ):
        known = [each for each in known_differences() if each.applies(arm)]
        trace = f"AssertionFailedError: expected: <0> but was: <{value}>"
        failed = ClassResult({"x": TestResult("x", test, "x", "failed", 1, trace)})
        (found,) = compare(name, [passed], [failed], known)
        assert found.kind == kind


def test_every_known_difference_has_a_reason() -> None:
    assert known_differences()
    assert all(each.reason and each.says for each in known_differences())
