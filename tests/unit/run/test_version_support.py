"""Which arms a version can run, read off the table of broker versions."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.arms import (
    ARMS,
    AS_THE_KIP,
    BY_TIME,
    FEATURE,
    ISR,
    LAG_POLICY,
    LIMITS,
    LOG_START,
    ONLY,
    PROCESS_TIME,
    SCOPE,
    expected_as,
    feature_on,
    has_agent,
    lag_factor,
    lag_policy,
    reports_step_downs,
    settings,
    steps_down,
)
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
        ("4.3.0", "read,request"), ("4.4.9", "read,request"), ("4.4.0-rc1", "read,request"),
        ("4.5.0", None), ("4.10.0", None), ("4.2.1", None), ("2.8.2", "read"), ("2.9", None),
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


def test_the_table_lists_every_arm() -> None:
    stepping = ["step-down", "step-down-keep", "step-down-unthrottled", "kip-501-s2"]
    on = ["read", "request", "plugin", *stepping]
    alone = ["relinquish-only"]
    patched = ["patched", "patched-fencing"]
    by_messages = ["messages-4", "messages-4000"]
    log_start = ["bound", "snapshot", "both"]
    assert [arm for arm in ARMS if has_agent(arm)] == ["off", *on, *alone, *log_start, *by_messages]
    assert [arm for arm in ARMS if lag_policy(arm) != BY_TIME] == by_messages
    assert [arm for arm in ARMS if feature_on(arm)] == [*on, *patched]
    assert [arm for arm in ARMS if ARMS[arm].patched] == patched
    assert [arm for arm in ARMS if reports_step_downs(arm)] == [*stepping, *alone]
    assert [arm for arm in ARMS if steps_down(arm)] == [*stepping, *alone, "patched-fencing"]
    assert [arm for arm in ARMS if ARMS[arm].late] == alone
    for untouched in ("stock", "off", "raised-lag", "elr-off", "time"):
        assert settings(untouched) == {}
    assert settings("read") == {FEATURE: "true", SCOPE: "read"}
    assert settings("plugin") == settings("request") == {FEATURE: "true", SCOPE: "request"}
    assert settings("step-down") == {**settings("request"), ISR: "leave"}
    assert settings("step-down-keep") == {**settings("request"), ISR: "keep-last"}
    assert settings("patched") == settings("patched-fencing") == {FEATURE: "true"}
    assert settings("step-down-unthrottled") == {**settings("step-down"), LIMITS: "false"}
    assert settings("kip-501-s2") == {**settings("read"), **AS_THE_KIP}
    rejected = {SCOPE: "request", ONLY: "true", **AS_THE_KIP}
    assert settings("relinquish-only") == rejected
    for fix in ("bound", "snapshot", "both"):
        assert settings(fix) == {LOG_START: fix}
    assert settings("messages-4") == {LAG_POLICY: "messages:4"}
    assert [lag_factor(arm) for arm in ("stock", "raised-lag")] == [1, 6]
    assert expected_as("read") == ("read", "patched")
    assert expected_as("patched") == ("patched", "read")
    assert expected_as("patched-fencing") == ("patched-fencing",)
    assert expected_as("plugin") == ("plugin", "request")
    assert expected_as("request") == ("request", "plugin")
    assert [expected_as(arm) for arm in ("time", "stock")] == [("time", "stock"), ("stock", "time")]
