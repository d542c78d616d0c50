"""Scenarios load as written, or fail with one line that says where and what was expected."""

import re
from pathlib import Path

import pytest

from insync.errors import InputError
from insync.scenario.groups import groups
from insync.scenario.load import builtin_names, load, narrow, on_zookeeper, parse, source

KIP = source("kip-501")
COMPARE = '[[compare]]\nmetric = "acked"\narm = "stock"\n'


def test_the_built_in_scenarios_load_by_their_names() -> None:
    grouped = {name for group in groups().values() for name in group.scenarios}
    assert grouped < set(builtin_names())
    assert [load(name).name for name in builtin_names()] == builtin_names()


def test_kip_501_is_the_case_of_the_kip() -> None:
    kip = load("kip-501")
    assert kip.broker.replica_lag_time_max_ms == 10_000
    assert kip.broker.replica_fetch_wait_max_ms == 500
    assert [(stall.site, stall.for_ms) for stall in kip.faults] == [("read", 25_000)]
    assert kip.repeats == 3


@pytest.mark.parametrize("name", ["kip-501", "read-stall", "send-stall"])
def test_a_stalled_leader_leads_at_least_two_partitions(name: str) -> None:
    scenario = load(name)
    for fault in scenario.faults:
        assert scenario.workload.leaders.count(fault.broker) >= 2


@pytest.mark.parametrize("name", builtin_names())
def test_isr_expiration_runs_during_the_recovery_of_a_repeat(name: str) -> None:
    scenario = load(name)
    assert scenario.timeline.recover_ms > scenario.broker.replica_lag_time_max_ms / 2


def test_a_file_loads_like_a_built_in(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(KIP, encoding="utf-8")
    assert load(str(path)) == load("kip-501")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[broker]", "[broker]\nlag = 1", "broker.lag: unknown key, expected one of: replica_lag"),
        ("[[faults]]", "[[fault]]", "fault: unknown key, expected one of: schema, name"),
        ("at_ms = 2_000", "at_ms = -3", "faults[0].at_ms: -3, expected at least 0"),
        ("at_ms = 2_000", "at_ms = 1.5", "faults[0].at_ms: 1.5, expected a whole number"),
        ("at_ms = 2_000", "at_ms = 1", "faults[0].at_ms: 1, expected at least timeline.steady"),
        ("for_ms = 25_000", "for_ms = 0", "faults[0].for_ms: 0, expected more than 0"),
        ('site = "read"', 'site = "disk"', "faults[0].site: 'disk', expected 'read', 'send'"),
        ('mode = "hold"', 'mode = "delay"', "faults[0].delay_ms: 0, expected more than 0"),
        ('mode = "hold"', 'mode = "hold"\ndelay_ms = 5', "faults[0].delay_ms: 5, expected none"),
        ('mode = "hold"', 'mode = "hold"\nacts_ms = 25_001', "faults[0].acts_ms: 25001, expected"),
        (
            'mode = "hold"',
            'mode = "delay"\ndelay_ms = 5\nacts_ms = 1',
            "faults[0].acts_ms: 1, expected none",
        ),
        ("partitions = [0, 1]", "partitions = [9]", "partitions[0]: 9, expected 0 to 3"),
        ("partitions = [0, 1]", "partitions = [0, 2]", "partitions[1]: 2, expected a partition"),
        ("partitions = [0, 1]", "partitions = [0, 0]", "partitions: [0, 0], expected each only"),
        ("broker = 1", "broker = 4", "faults[0].broker: 4, expected at most 3"),
        ("broker = 1", "broker = 2", "partitions[0]: 0, expected a partition led by broker 2"),
        ("leaders = [1, 1, 2, 3]", "leaders = [0]", "leaders[0]: 0, expected at least 1"),
        ("leaders = [1, 1, 2, 3]", "leaders = 4", "workload.leaders: 4, expected a list"),
        ('"read", "request"]', '"plug"]', "arms[1]: 'plug', expected 'stock', 'off', 'read'"),
        ('["stock", "read", "request"]', "[]", "arms: [], expected at least 1 item"),
        ('control_arms = ["stock"]', 'control_arms = ["off"]', "control_arms[0]: 'off', expected"),
        ("[expect.stock]", "[expect.all]", "expect.all: 'all', expected 'stock', 'off'"),
        ("[expect.stock]", "[expect.off]", "expect.off: 'off', expected one of the arms that run"),
        ("[expect.stock]", "[expect_on.'1.1.0'.off]", "expect_on.1.1.0.off: 'off', expected one"),
        (
            "[expect.stock]",
            f'{COMPARE}against = "off"\nbelow = 1\n[expect.stock]',
            "compare[0].against: 'off', expected one of the arms that run: stock, read, request",
        ),
        ("isr_shrinks = { min = 1 }", "shrinks = {}", "expect.stock.shrinks: 'shrinks', expected"),
        ("{ min = 1 }", "{}", "expect.stock.isr_shrinks.min: None, expected min or max"),
        ("{ min = 1 }", "{ min = 2, max = 1 }", "isr_shrinks.min: 2.0, expected at most max"),
        ("replica_fetch_wait_max_ms = 500", "replica_fetch_wait_max_ms = 10_000", "less than"),
        ("replica_lag_time_max_ms = 10_000", "replica_lag_time_max_ms = 499", "at least 500"),
        (
            '"read", "request"]',
            '"step-down"]',
            "arms[1]: 'step-down', expected another arm, or broker.leader_fetch_process_time",
        ),
        (
            "[timeline]",
            '[[workload.groups]]\nprotocol = "new"\n[timeline]',
            "workload.groups[0].protocol: 'new', expected 'classic' or 'consumer'",
        ),
        (
            "[timeline]",
            "[[workload.groups]]\nmembers = 0\n[timeline]",
            "workload.groups[0].members: 0, expected at least 1",
        ),
        (
            "[timeline]",
            "[[workload.groups]]\nsession_timeout_ms = 900\n[[workload.groups]]\n[timeline]",
            "workload.groups[1].session_timeout_ms: None, expected 900, as in groups[0]",
        ),
        (
            "[timeline]",
            "[workload.transactions]\ncoordinators = [1]\nper_second = 1\nrecords = 2\n"
            "until_ms = 0\n[timeline]",
            "workload.transactions.until_ms: 0, expected more than 0",
        ),
        (
            "record_bytes = 200\n",
            'record_bytes = 200\nclient = "java"\n[workload.transactions]\ncoordinators = [1]\n'
            "per_second = 1\nrecords = 2\nuntil_ms = 9\n",
            "workload.client: 'java', expected 'librdkafka' for transactions.until_ms",
        ),
        (
            "[expect.stock]",
            f'{COMPARE}against = "stock"\nbelow = 1\n[expect.stock]',
            "compare[0].against: 'stock', expected another arm than stock",
        ),
        (
            "[expect.stock]",
            f'{COMPARE}against = "off"\n[expect.stock]',
            "compare[0].at_most: None, expected one of at_most, at_least and below",
        ),
        ("repeats = 3\n", "", "repeats: missing"),
        ("repeats = 3", "repeats = 0", "repeats: 0, expected at least 1"),
        ("schema = 1", "schema = 2", "schema: 2, expected 1"),
        ("schema = 1", "schema 1", "invalid TOML: Expected '=' after a key"),
        ('name = "kip-501"', 'name = "My Case"', "name: 'My Case', expected text that matches"),
    ],
)
def test_an_invalid_value_is_named(old: str, new: str, problem: str) -> None:
    assert old in KIP
    assert any(problem in line for line in problems(KIP.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ("client_timeout_ms = 9", "client_timeout_ms: 9, expected 10 to 300000"),
        (
            "idempotent = true\nclient_retries = false",
            "client_retries: False, expected true where idempotent is true",
        ),
        ('client = "kafka"', "client: 'kafka', expected 'librdkafka', 'java' or 'both'"),
        (
            'compression = "zip"',
            "compression: 'zip', expected 'none', 'gzip', 'snappy', 'lz4' or 'zstd'",
        ),
        (
            'idempotent = true\nacks = "1"',
            "acks: '1', expected 'all' where idempotent is true",
        ),
        ("linger_ms = -1", "linger_ms: -1, expected at"),
        ("batch_bytes = 0", "batch_bytes: 0, expected at"),
        (
            'configs = { "cleanup.policy" = "compact" }',
            "key_countdown: 0, expected more than 0 for a compacted topic",
        ),
        (
            'configs = { "min.insync.replicas" = "1" }',
            "configs: 'min.insync.replicas', expected min_insync_replicas instead",
        ),
        ("read_from = 4", "read_from: 4, expected at most 3"),
        ("fetch_wait_ms = 0", "fetch_wait_ms: 0, expected at least 1"),
        ('client = "java"\nread_from = 2', "client: 'java', expected 'librdkafka' for read_from"),
        ("keys = 9\nkey_countdown = 1", "keys: 9, expected 0 beside key_countdown"),
        (
            'client = "java"\nkey_countdown = 1',
            "client: 'java', expected 'librdkafka' for key_countdown",
        ),
        ("keys = 3", "keys: 3, expected 0, or at least 4, the number of partitions"),
        ("key_skew = 1", "key_skew: 1.0, expected 0 where there are no keys"),
        (
            "keys = 4\nkey_skew = 5",
            "key_skew: 5.0, expected less: each producer of the partition with the rarest",
        ),
    ],
)
def test_an_invalid_key_of_the_workload_is_named(keys: str, problem: str) -> None:
    found = problems(KIP.replace("record_bytes = 200", f"record_bytes = 200\n{keys}", 1))
    assert any(line.startswith(f"workload.{problem}") for line in found)


def problems(text: str) -> list[str]:
    """Return the lines of the error of an invalid file, which begin with the file's name."""
    with pytest.raises(InputError) as caught:
        parse(text, "mine.toml")
    lines = [line.partition("mine.toml: ") for line in str(caught.value).splitlines()]
    assert {before for before, *_ in lines} == {""}
    return [line for *_, line in lines]


def test_all_problems_of_a_file_are_listed() -> None:
    text = KIP.replace("repeats = 3", "repeats = 0").replace('site = "read"', 'sight = "read"')
    text = text.replace('"read", "request"]', '"raed"]')
    arm, repeats, missing, unknown = problems(text)
    assert arm.startswith("arms[1]: 'raed', expected 'stock', 'off'")
    assert arm.endswith(" (did you mean 'read'?)")
    assert repeats == "repeats: 0, expected at least 1"
    assert missing == "faults[0].site: missing"
    assert unknown.startswith(
        "faults[0].sight: unknown key, expected one of: broker, at_ms, for_ms"
    )
    assert unknown.endswith(" (did you mean 'site'?)")


def test_all_broken_rules_are_listed() -> None:
    text = KIP.replace('control_arms = ["stock"]', 'control_arms = ["off"]').replace(
        '"read", "request"]', '"step-down"]'
    )
    assert [line.partition(":")[0] for line in problems(text)] == ["control_arms[0]", "arms[1]"]
    text = KIP.replace(
        "record_bytes = 200",
        "record_bytes = 200\nidempotent = true\nclient_retries = false\nclient_timeout_ms = 9",
    )
    assert [line.partition(":")[0] for line in problems(text)] == [
        "workload.client_timeout_ms", "workload.client_retries",
    ]  # fmt: skip
    faults = KIP.replace("at_ms = 2_000", "at_ms = 1") + FREEZE.replace("30_000", "2")
    assert [line.partition(":")[0] for line in problems(faults)] == [
        "faults[0].at_ms", "faults[1].at_ms",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        ('kind = "stall"', 'kind = "stal"', "stall"),
        ("isr_shrinks = { min", "isr_shrink = { min", "isr_shrinks"),
        ("[broker]\n", "[broker]\nreplica_lag_ms = 1\n", "replica_lag_time_max_ms"),
    ],
)
def test_the_nearest_name_is_suggested(old: str, new: str, meant: str) -> None:
    assert old in KIP
    (line,) = problems(KIP.replace(old, new, 1))
    assert line.endswith(f" (did you mean '{meant}'?)")


def test_the_nearest_scenario_is_suggested() -> None:
    with pytest.raises(InputError, match=r"no such scenario \(did you mean 'read-stall'\?\), "):
        load("read-stal")


FREEZE = """
[[faults]]
kind = "freeze"
broker = 1
at_ms = 30_000
for_ms = 1_000
"""


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('kind = "freeze"\n', "", "faults[1].kind: missing, expected one of: add-replica, answer,"),
        ('"freeze"', '"frost"', "faults[1].kind: 'frost', expected one of: add-replica, answer,"),
        ('"freeze"', "3", "faults[1].kind: '3', expected one of: add-replica"),
        ('"freeze"', '["kill"]', "faults[1].kind: '['kill']', expected one of: add-replica"),
        ("at_ms = 30_000", "", "faults[1].at_ms: missing"),
        ("at_ms = 30_000", "at_ms = 30_000\nx = 1", "faults[1].x: unknown key, expected one of: b"),
        ("at_ms = 30_000", "at_ms = 9_000", "faults[1].at_ms: 9000, expected outside of 2000 to"),
        ('"freeze"', '"kill"', None),
        ('"freeze"', '"queue-stall"', None),
        ('"freeze"', '"cpu-quota"', "faults[1].quota_percent: missing"),
        ('"freeze"', '"cpu-quota"\nquota_percent = 0.0', "quota_percent: 0.0, expected at least"),
        ('"freeze"', '"elect"\npartitions = [2]', "faults[1].for_ms: unknown key, expected one"),
        (
            '"freeze"\nbroker = 1\nat_ms = 30_000\nfor_ms = 1_000',
            '"elect"\ntype = "recommended"\npartitions = [2]\nbroker = 1\nat_ms = 3_000',
            "faults[1].type: 'recommended', expected",
        ),
        ("for_ms = 1_000", "for_ms = 0", "faults[1].for_ms: 0, expected more than 0"),
        (
            '"freeze"\nbroker = 1',
            '"stall"\nmode = "hold"\nsite = "write"\npartitions = [0, 3]\nbroker = 2',
            None,
        ),
        (
            '"freeze"\nbroker = 1',
            '"stall"\nmode = "hold"\nsite = "send"\npartitions = [0]\nbroker = 2',
            "faults[1].partitions[0]: 0, expected a partition led by broker 2: [2]",
        ),
        (
            '"freeze"\nbroker = 1\nat_ms = 30_000\nfor_ms = 1_000',
            '"elect"\npartitions = [2, 0]\nbroker = 1\nat_ms = 3_000',
            "faults[1].partitions[1]: 0, expected a partition that broker 1 does not lead alr",
        ),
    ],
)
def test_faults_of_each_kind_are_read_or_refused(old: str, new: str, problem: str | None) -> None:
    assert old in FREEZE
    text = KIP.replace("[expect.stock]", FREEZE.replace(old, new, 1) + "\n[expect.stock]", 1)
    if problem is None:
        assert len(parse(text, "mine.toml").faults) == 2
        return
    with pytest.raises(InputError, match=r"^mine.toml: [^\n]*" + re.escape(problem)):
        parse(text, "mine.toml")


def test_brokers_before_kraft_may_have_their_own_expectations() -> None:
    written = load("follower-restart-mid-stall")
    older = on_zookeeper(written)
    assert written.expect["read"]["isr_shrinks"].max == 3
    assert older.expect["read"]["isr_shrinks"].max == 4
    assert "min_isr_size" not in older.expect["read"]
    assert older.expect["request"] == written.expect["request"]


def test_consumers_read_from_a_broker_that_follows() -> None:
    text = source("follower-readers").replace("leaders = [1, 3]", "leaders = [2, 2]")
    with pytest.raises(InputError, match="read_from: 2, expected a broker that does not lead ev"):
        parse(text, "mine.toml")


def test_a_scenario_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        load(str(tmp_path))
    (tmp_path / "latin.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(InputError, match="cannot be read: not UTF-8"):
        load(str(tmp_path / "latin.toml"))


def test_brackets_nested_without_end_are_one_line() -> None:
    with pytest.raises(InputError, match=r"^deep: invalid TOML: brackets are nested") as refused:
        parse("a = " + "[" * 5_000, "deep")
    assert "\n" not in str(refused.value)


def test_narrowing_still_names_control_arms_that_are_not_run() -> None:
    narrowed = narrow(load("kip-501"), arms=["plugin"], repeats=1)
    assert (narrowed.arms, narrowed.control_arms, narrowed.repeats) == (("plugin",), ("stock",), 1)


@pytest.mark.parametrize(
    ("arms", "repeats", "problem"),
    [
        (["plug"], None, "arms\\[0\\]: 'plug', expected"),
        (["stock", "stock"], None, "each only once"),
        (None, 0, "repeats: 0, expected at least 1"),
    ],
)
def test_narrowing_checks_what_it_is_given(
    arms: list[str] | None, repeats: int | None, problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        narrow(load("kip-501"), arms=arms, repeats=repeats)


def test_clients_of_a_run_replace_those_of_the_file_and_a_race_keeps_its_own() -> None:
    scenario = parse(KIP.replace("record_bytes", "client_timeout_ms = 900\nrecord_bytes", 1), "m")
    changed = narrow(scenario, client="both", default_timeouts=True).workload
    assert (changed.client, changed.client_timeout_ms) == ("both", None)
    kept = narrow(scenario).workload
    assert (kept.client, kept.client_timeout_ms) == ("librdkafka", 900)
    with pytest.raises(InputError, match=r"workload\.client: 'java', expected 'librdkafka' for a"):
        narrow(load("kafka-7104"), client="java")
