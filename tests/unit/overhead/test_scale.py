"""What partitions cost: the line through clusters of several sizes, and the command's input."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import invoke_refused
from insync import extras
from insync.overhead.figures import OF_SCALE, OF_START, Values
from insync.overhead.rounds import Round
from insync.overhead.scale import FAR, Slope, document, slopes

NAMES = [spec.name for spec in OF_SCALE]


def figures(value: float) -> Values:
    return dict.fromkeys(NAMES, value)


def heap(measured: Mapping[int, list[Round]]) -> dict[str, Slope]:
    return {each.arm: each for each in slopes(measured) if each.figure == "heap_mb"}


@given(
    st.floats(0, 1e3), st.floats(0, 1), st.lists(st.integers(1, 50_000), min_size=2, unique=True)
)
def test_a_line_is_found_again(first: float, slope: float, counts: list[int]) -> None:
    measured = {count: [{"stock": figures(first + slope * count)}] for count in counts}
    found = heap(measured)["stock"]
    assert found.per_partition == pytest.approx(slope, abs=1e-6)
    assert found.far == pytest.approx(first + slope * FAR, abs=1)


def test_each_arm_has_the_medians_of_its_rounds() -> None:
    measured: dict[int, list[Round]] = {
        1_000: [{"stock": figures(n), "request": figures(n + 1)} for n in (1, 2, 9)],
        3_000: [{"stock": figures(n), "request": figures(n + 5)} for n in (4, 4, 0)],
    }
    found = heap(measured)
    assert found["stock"].values == {1_000: 2, 3_000: 4}
    assert found["stock"].per_partition == pytest.approx(1 / 1_000)
    assert found["request"].per_partition == pytest.approx(3 / 1_000)


def test_the_document_is_json_with_every_figure() -> None:
    measured: dict[int, list[Round]] = {
        count: [{"stock": figures(count)}] for count in (1_000, 2_000)
    }
    found = json.loads(json.dumps(document("4.3.1", "Java", measured)))
    assert set(found["figures"]) == {each["figure"] for each in found["slopes"]} == set(NAMES)
    assert set(found["rounds"]) == {"1000", "2000"}


def test_no_name_of_their_figures_is_misspelt() -> None:
    assert len(OF_START) == 2
    assert len(OF_SCALE) == 5


@pytest.mark.parametrize("listed", ["3000", "0,3000", "3000,1000", "1000,1000", "1,99999", "a,b"])
def test_bad_input_is_one_line(listed: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = invoke_refused(capsys, "bench", "scale", "--partitions", listed)
    assert said.startswith(f"insync: --partitions {listed}: expected two or more numbers")


def test_arms_without_stock_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("scale", "startup"):
        assert "--arms off: expected stock" in invoke_refused(
            capsys, "bench", command, "--arms", "off"
        )


@pytest.mark.parametrize("command", ["overhead", "scale", "startup"])
def test_without_scipy_a_benchmark_on_brokers_is_refused_before_it_starts_one(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "scipy" else name)
    said = invoke_refused(capsys, "bench", command, "--arms", "off")
    assert said.startswith(f"insync: bench {command}: needs scipy, which is not installed")
