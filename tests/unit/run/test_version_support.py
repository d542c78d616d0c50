"""Which arms a version can run, read off the table of broker versions."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.arms import ARMS, FEATURE, PROCESS_TIME
from insync.errors import InputError
from insync.run import version_support
from insync.run.version_support import read_table, require_arms, row_of

TABLE = """
# comment
adapters=v1,v2

v1.from=4.3.0
v1.below=4.5.0
v1.scopes = read,request
v1.step_down = true
v1.log_start=true
v1.lag_policies = time,messages
v2.from=2.8
v2.below=2.9
v2.scopes=read
v2.step_down=false
v2.log_start=false
"""
versions = st.tuples(st.integers(0, 9), st.integers(0, 12), st.integers(0, 12))


@pytest.mark.parametrize(
    ("kafka", "scopes"),
    [
        ("4.3.0", "read,request"), ("4.4.0-rc1", "read,request"), ("2.8.2", "read"), ("2.9", None),
    ],
)  # fmt: skip
def test_a_version_finds_the_row_whose_range_includes_it(kafka: str, scopes: str | None) -> None:
    row = row_of(read_table(TABLE), kafka)
    assert (row and row["scopes"]) == scopes


@given(versions)
def test_ranges_compare_by_number(version: tuple[int, int, int]) -> None:
    row = row_of(read_table(TABLE), ".".join(map(str, version)))
    assert (row is not None) == ((4, 3, 0) <= version < (4, 5, 0) or (2, 8) <= version < (2, 9))


def test_stock_needs_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version_support, "VERSIONS_TABLE", Path("nowhere"))
    require_arms(["stock"], "1.1.0")


@pytest.mark.parametrize(
    ("kafka", "arms"),
    [
        ("4.3.1", [arm for arm in ARMS if not ARMS[arm].patched]),
        ("4.0.2", ["stock", "raised-lag", "time"]),
        ("2.8.2", ["stock", "off", "read", "raised-lag", "time"]),
        ("1.1.0", ["stock", "raised-lag", "time"]),
    ],
)
def test_an_arm_needs_its_scope_step_down_and_eligible_replicas(
    kafka: str, arms: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = tmp_path / "table"
    table.write_text(TABLE)
    monkeypatch.setattr(version_support, "VERSIONS_TABLE", table)
    assert list(version_support.arms_of(kafka)) == arms


def test_an_arm_without_the_agent_needs_a_kafka_with_its_configs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(
        InputError, match=rf"^arms: patched: Kafka 4.3.1 has only .*; it does not define {FEATURE}$"
    ):
        require_arms(["stock", "patched"], "4.3.1")
    monkeypatch.setattr(version_support, "undefined", lambda release, configs: None)
    require_arms(["stock", "patched"], "4.3.1")


def test_an_arm_whose_time_is_the_scenarios_needs_a_kafka_with_that_config(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lacks_the_time(release: object, configs: list[str]) -> str | None:
        return PROCESS_TIME if PROCESS_TIME in configs else None

    monkeypatch.setattr(version_support, "undefined", lacks_the_time)
    require_arms(["stock", "patched"], "4.3.1")
    with pytest.raises(InputError, match=rf"^arms: patched-fencing: .* define {PROCESS_TIME}$"):
        require_arms(["stock", "patched-fencing"], "4.3.1")
