"""The order of a run, its record, and how an interrupted one ends: the cluster is stopped."""

import json
import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Self, cast
from unittest.mock import Mock

import pytest

from event_lines import lines_of
from insync.arms import FEATURE, SCOPE
from insync.brokers.cluster import clocks
from insync.brokers.kafka.versions import pinned
from insync.errors import InsyncError
from insync.events.run_info import load_run
from insync.faults.kinds.elect import Elect
from insync.faults.kinds.freeze import Freeze
from insync.faults.kinds.kill import Kill
from insync.faults.kinds.stall import Stall
from insync.faults.schedule import moments as moments_of
from insync.progress import Progress
from insync.run import arm as arm_module
from insync.run import arm_cluster, history, runner
from insync.run.cell import CellSpec
from insync.run.plan import Plan
from insync.run.repeat import _run_faults
from insync.run.request import Existing
from insync.scenario.load import builtin_names, load, narrow, on_version, on_zookeeper
from insync.signals import interruptible
from unit.engine.cells import cell, tools


class FakeCluster:
    made: ClassVar[list["FakeCluster"]] = []
    bootstrap = "nowhere:1"
    controllers = ()

    def __init__(self, *_: object, settings: dict[str, str], **more: Any) -> None:
        self.settings = settings
        self.agent = more["agent"]
        self.extras = more["extras"]
        self.events = ["made"]
        FakeCluster.made.append(self)

    def __enter__(self) -> Self:
        self.events.append("started")
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        if self.events[-1] != "stopped":
            self.events.append("stopped")

    def remove_data(self) -> None:
        self.events.append("data removed")


@pytest.fixture
def clusters(monkeypatch: pytest.MonkeyPatch) -> list[FakeCluster]:
    FakeCluster.made = []
    lines = [
        {"v": 1, "arm": "stock", "kind": "broker"},
        {"v": 1, "arm": "stock", "kind": "partition", "topic": "kip-501-r0"},
        {"v": 1, "arm": "stock", "kind": "partition", "topic": "another-r0"},
        {"v": 1, "arm": "stock", "kind": "partition", "topic": clocks.TOPIC, "t_ms": 1_070.0},
    ]
    monkeypatch.setattr(arm_cluster, "LocalCluster", FakeCluster)
    monkeypatch.setattr(history, "isr_events", lambda *_: iter(lines))
    monkeypatch.setattr(history, "read_clocks", lambda *_: CLOCKS)
    monkeypatch.setattr(history, "_roles", lambda *_: iter(()))
    monkeypatch.setattr(history, "_write_logs", lambda *_: None)
    monkeypatch.setattr(arm_module, "write_counters", lambda *_: None)
    return FakeCluster.made


CLOCKS = clocks.Clocks({1: clocks.Reading(1_000.0, 1_001.0, 1_002.0)}, 990.0, 1_010.0)


def planned(out: Path, keep_data: bool = False, repeats: int = 1) -> Plan:
    jar = out / "agent.jar"
    jar.touch()
    scenario = narrow(load("kip-501", 0.2), arms=["stock", "plugin"], repeats=repeats)
    return Plan(
        cells=[cell(scenario, out, arm, keep_data=keep_data) for arm in scenario.arms],
        tools=tools(shim=out / "shim.so", agent_jar=jar),
    )


def phases(out: Path, arm: str) -> list[str]:
    return [line["type"] for line in lines_of(out, arm, "phases.jsonl")]


def test_every_arm_has_a_fresh_cluster_and_its_own_settings(
    tmp_path: Path, clusters: list[FakeCluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arm_module, "run_repeat", lambda *_: None)
    runner.execute(planned(tmp_path), Progress())
    stock, plugin = clusters
    assert stock.events == ["made", "started", "stopped"]  # the verdict decides about the data
    assert stock.agent is None
    assert FEATURE not in stock.settings
    assert (plugin.settings[FEATURE], plugin.settings[SCOPE]) == ("true", "request")
    assert plugin.settings["replica.lag.time.max.ms"] == "2000"
    assert list(stock.extras) == list(plugin.extras) == [1]
    assert json.loads((tmp_path / "run.json").read_text())["finished_ms"] > 0
    assert (tmp_path / "events" / "stock" / "isr.jsonl").read_text().count("\n") == 2
    read = lines_of(tmp_path, "stock", "clocks.jsonl")
    assert [(line["broker"], line["ahead_ms"]) for line in read] == [(1, 0.5), (100, 70.5)]
    assert (tmp_path / "scenario.toml").read_text() == "text"


@pytest.mark.parametrize(
    ("error", "keep", "data"),
    [
        (InsyncError("broker gone"), False, []),
        (KeyboardInterrupt("SIGINT"), False, ["data removed"]),
        (KeyboardInterrupt("SIGINT"), True, []),
    ],
)
def test_an_interrupted_run_stops_its_cluster_and_records_the_interruption(
    tmp_path: Path, clusters: list[FakeCluster], monkeypatch: pytest.MonkeyPatch,
    error: BaseException, keep: bool, data: list[str],
) -> None:  # fmt: skip
    """An interrupt leaves only data that is to be kept."""
    monkeypatch.setattr(arm_module, "run_repeat", Mock(side_effect=error))
    with pytest.raises(type(error)):
        runner.execute(planned(tmp_path, keep_data=keep), Progress())
    assert [cluster.events for cluster in clusters] == [["made", "started", "stopped", *data]]
    assert phases(tmp_path, "stock") == ["cluster_ready", "aborted"]
    record = json.loads((tmp_path / "run.json").read_text())
    assert (record["keep_data"], "finished_ms" in record) == (keep, False)


def test_after_a_repeat_whose_cluster_is_unusable_the_next_arm_runs(
    tmp_path: Path, clusters: list[FakeCluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def stuck(context: Any, repeat: int, *_: object) -> str | None:
        ran.append(f"{context.arm} {repeat}")
        return "broker 2: ended with -9" if context.arm == "stock" else None

    monkeypatch.setattr(arm_module, "run_repeat", stuck)
    runner.execute(planned(tmp_path, repeats=2), Progress())
    assert ran == ["stock 0", "plugin 0", "plugin 1"]
    assert phases(tmp_path, "stock") == ["cluster_ready", "aborted"]
    assert (tmp_path / "events" / "stock" / "isr.jsonl").is_file()
    assert json.loads((tmp_path / "run.json").read_text())["finished_ms"] > 0


def stall(site: str, at_ms: int, for_ms: int) -> Stall:
    raw = {"kind": "stall", "mode": "hold", "broker": 1, "partitions": [0]}
    return Stall.model_validate({**raw, "site": site, "at_ms": at_ms, "for_ms": for_ms})


def test_overlapping_faults_are_injected_and_lifted_in_order_of_time() -> None:
    fault = cast("Any", SimpleNamespace(begin=lambda: None, lift=lambda: None))
    raw = {"kind": "elect", "broker": 2, "partitions": [0], "at_ms": 55}
    specs = [stall("read", 10, 100), stall("send", 50, 10), Elect.model_validate(raw)]
    moments = moments_of(specs, [fault] * 3)
    assert [(m.at_ms, m.words.split()[0], m.words.split()[-1]) for m in moments] == [
        (10, "read", "s"), (50, "send", "s"), (55, "elect", "2"),
        (60, "send", "lifted"), (110, "read", "lifted"),
    ]  # fmt: skip


def test_a_broker_killed_when_its_stall_ends_is_killed_before_the_lift() -> None:
    fault = cast("Any", SimpleNamespace(begin=lambda: None, lift=lambda: None))
    kill = Kill.model_validate({"kind": "kill", "broker": 1, "at_ms": 110, "for_ms": 50})
    frozen = Freeze.model_validate({"kind": "freeze", "broker": 2, "at_ms": 80, "for_ms": 30})
    specs = [stall("read", 10, 100), frozen, kill]
    words = [moment.words for moment in moments_of(specs, [fault] * 3) if moment.at_ms == 110]
    assert words == [
        "freeze at broker 2 lifted", "kill at broker 1 for 0.05 s", "read stall at broker 1 lifted",
    ]  # fmt: skip


def test_a_fault_that_begins_late_acts_as_long_as_planned() -> None:
    acts: list[tuple[str, float]] = []

    def inject() -> None:
        time.sleep(0.2)
        acts.append(("inject", time.monotonic()))

    fault = SimpleNamespace(
        begin=inject, lift=lambda: acts.append(("lift", time.monotonic())), evidence=str
    )
    context = SimpleNamespace(
        cell=SimpleNamespace(scenario=SimpleNamespace(faults=[stall("read", 0, 100)])),
        files=SimpleNamespace(faults=SimpleNamespace(write=lambda _: None)),
    )
    workload = SimpleNamespace(wait=lambda seconds: time.sleep(max(0.0, seconds)))
    _run_faults(
        cast("Any", context), [cast("Any", fault)], cast("Any", workload), time.monotonic(),
        lambda _: None,
    )  # fmt: skip
    (_, begun), (_, lifted) = acts[:2]
    assert lifted - begun >= 0.1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_interrupts_once_and_not_the_clean_up(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    cleaned = []
    with pytest.raises(InsyncError, match=f"interrupted by {number.name}"), interruptible():
        try:
            os.kill(os.getpid(), number)
            signal.pause()
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGINT)
            cleaned.append("all")
    assert cleaned == ["all"]
    assert signal.getsignal(number) is before


def started(skip: str | None = None, agent_jar: Path | None = None) -> dict[str, Any]:
    kip_501 = cell(load("kip-501", 0.2), Path("out"), scale=0.2, seed=5)
    return runner.begin(Plan(cells=[kip_501], tools=tools(agent_jar=agent_jar), skip=skip))


def test_a_new_record_names_the_run_and_has_no_end() -> None:
    made = started()
    assert (made["scenario_name"], made["kafka"], made["scale"]) == ("kip-501", "4.3.1", 0.2)
    assert (made["seed"], made["arms"], made["repeats"]) == (5, ["stock", "read", "request"], 3)
    assert not {"finished_ms", "skipped"} & made.keys()
    assert made["scenario"] == load("kip-501", 0.2).as_dict()


def test_a_record_has_the_facts_that_its_figures_may_depend_on(tmp_path: Path) -> None:
    jar = tmp_path / "agent.jar"
    jar.write_bytes(b"one build")
    host = started(agent_jar=jar)["host"]
    assert host["kafka_jars"] == pinned("4.3.1").digest[:12]
    assert {"system", "cores", "memory_mib", "java", "python", "librdkafka"} <= host.keys()
    jar.write_bytes(b"another build")
    assert started(agent_jar=jar)["host"]["agent"] != host["agent"]
    assert "agent" not in started()["host"]
    assert started()["builtin"] is True


def test_a_record_of_a_skipped_run_has_the_reason() -> None:
    assert started("no cgroup")["skipped"] == "no cgroup"


def test_a_record_is_replaced_atomically(tmp_path: Path) -> None:
    made = started()
    runner.save(made, tmp_path)
    runner.save({**made, "finished_ms": 1.0}, tmp_path)
    assert load_run(tmp_path).finished_ms == 1.0
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize("name", builtin_names())
def test_every_scenario_survives_writing_and_reading(name: str) -> None:
    scenario = load(name)
    last = narrow(scenario, arms=scenario.arms[-1:], repeats=2)
    for resolved in (last, on_zookeeper(last), on_version(last, "3.9.2")):
        spec = cell(resolved, Path("out"), resolved.arms[0], seed=7)
        assert CellSpec.model_validate_json(spec.model_dump_json()) == spec


def test_a_cell_has_its_topics_on_an_existing_cluster_with_a_prefix() -> None:
    spec = cell(
        "freeze", Path("out"), existing=Existing(bootstrap="a:1"), brokers=(4, 5, 6),
        topic_prefix="mine-",
    )  # fmt: skip
    assert spec.topics[0] == "mine-freeze-r0"
    assert len(spec.topics) == spec.scenario.repeats
    assert CellSpec.model_validate_json(spec.model_dump_json()) == spec


def test_only_an_arm_with_the_agent_carries_it_unless_it_is_a_race() -> None:
    assert [cell("freeze", Path("out"), arm).carries_agent for arm in ("stock", "read")] == [
        False, True,
    ]  # fmt: skip
    assert cell("kafka-7104", Path("out")).carries_agent, "for the pause points"
