from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.errors import InputError
from insync.outcome import Outcome
from insync.verify.criteria import Criterion, Judged, judge, read

NUMBERS = st.integers(0, 100_000).map(lambda value: value / 4)
METRIC = "acked"
TIME = "offline_ms"
FACTORS = st.integers(1, 40).map(lambda value: value / 4)
TIMES = st.sampled_from(["at_most", "at_least", "below"]).flatmap(
    lambda key: st.fixed_dictionaries({key: FACTORS, "margin": NUMBERS})
)
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=6)


def made(metric: str, **keys: Any) -> Criterion:
    return Criterion.model_validate({"metric": metric, **keys})


def judged(criterion: Criterion, own: list[Any], base: list[Any]) -> Judged:
    return judge(criterion, base, own)


def holds(keys: dict[str, float], own: float, base: float) -> bool:
    """Say what the page on criteria says, without the product's code."""
    if "at_most" in keys:
        return own <= keys["at_most"] * base + keys["margin"]
    if "at_least" in keys:
        return own >= keys["at_least"] * base + keys["margin"]
    return own < keys["below"] * base + keys["margin"]


@given(keys=TIMES, pairs=PAIRS, metric=st.sampled_from([METRIC, TIME]))
def test_a_criterion_passes_if_and_only_if_its_values_fulfil_it(
    keys: dict[str, float], pairs: list[tuple[float, float]], metric: str
) -> None:
    own, base = [own for own, _ in pairs], [base for _, base in pairs]
    outcome, why = judged(made(metric, **keys), own, base)
    if metric == TIME:
        pairs = [(median(own), median(base))]
    expected = all(holds(keys, x, y) for x, y in pairs)
    assert outcome == ("pass" if expected else "fail")
    assert bool(why) != expected


@given(pairs=PAIRS, place=st.integers(0, 5), keys=TIMES)
def test_a_missing_value_is_never_a_pass(
    pairs: list[tuple[float, float]], place: int, keys: dict[str, float]
) -> None:
    own: list[float | None] = [own for own, _ in pairs]
    base: list[float | None] = [base for _, base in pairs]
    own[place % len(own)] = None
    criterion = made(METRIC, **keys)
    assert judged(criterion, own, base)[0] == "unknown"
    assert judged(criterion, [], base)[0] == "unknown"
    whole = [own for own, _ in pairs]
    base[place % len(base)] = None
    assert judged(criterion, whole, base)[0] == "unknown"
    assert judged(criterion, whole, [])[0] == "unknown"


def test_a_failure_says_in_how_many_repeats() -> None:
    _, why = judged(made("unplanned_exits", at_most=1), [0, 3], [2, 1])
    assert why == (
        "expected unplanned_exits at most that of the baseline, found 3, the baseline 1 in 1 of 2"
        " repeats"
    )


def test_where_a_criterion_applies() -> None:
    criterion = made("isr_shrinks", below=1, scenarios=["read-stall"], claims=["request"])
    assert criterion.applies("read-stall")
    assert not criterion.applies("send-stall")
    assert made("lost", at_most=1).applies("anything")
    assert not made("bytes_per_fetch", at_most=1).applies("anything")
    assert criterion.is_claimed("request")
    assert criterion.is_claimed("plugin"), "an older name of the same brokers"
    assert not criterion.is_claimed("read")
    assert not criterion.is_claimed(None)
    assert made("lost", at_most=1).is_claimed(None)


def test_a_criterion_is_shown_in_the_words_of_a_comparison() -> None:
    assert str(made("offline_ms", at_most=1.5, margin=2000)) == (
        "at most 1.5 times that of the baseline + 2000"
    )
    assert str(made("offline_ms", below=1)) == "less than that of the baseline"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('metric = "lost"', "expected one of at_most, at_least and below"),
        ('metric = "lost"\nat_most = 1\nbelow = 1', "expected one of at_most"),
        ('metric = "shrinks"\nbelow = 1', "no metric 'shrinks'"),
        ('metric = "lost"\nat_most = 0', "compare.0.at_most"),
        ('metric = "lost"\nbelow = 1\nclaims = ["nothing"]', "nothing: no such arm"),
        ('metric = "lost"\nbelow = 1\nscenario = "control"', "compare.0.scenario"),
        ('metric = "lost"\nmax = 0', "compare.0.max"),
        ("below = 1", "compare.0.metric"),
        ('metric = "heap_mb"\nbelow = 1\nscenarios = ["control"]', "none of them measures heap_mb"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(text: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text(f"schema = 1\n[[compare]]\n{text}\n")
    with pytest.raises(InputError, match=r"my\.toml: ") as refused:
        read(file)
    assert expected in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("text", ["", "schema = 2", "= 1"])
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "my.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=r"--criteria .*my\.toml: "):
        read(file)


def test_insyncs_own_criteria_ask_for_no_less_than_the_baseline_has() -> None:
    text, whole = read(None)
    assert text.startswith("# The criteria of `insync verify`")
    of_faults = [each for each in whole if not each.is_of_cost]
    assert len(of_faults) == 4
    for each in of_faults:
        assert judged(each, [7.0], [7.0])[0] == Outcome.PASS
