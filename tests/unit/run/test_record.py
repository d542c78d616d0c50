"""A run is written as cells, of which another process resolves nothing, and as run.json."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from insync.brokers.kafka.versions import pinned
from insync.events.run_info import load_run
from insync.run import runner
from insync.run.cell import CellSpec
from insync.run.plan import Plan, Tools
from insync.run.request import Existing
from insync.scenario.load import builtin_names, load, narrow, on_version, on_zookeeper
from unit.engine.cells import cell


def started(skip: str | None = None, agent_jar: Path | None = None) -> dict[str, Any]:
    kafka = SimpleNamespace(version="4.3.1", release=pinned("4.3.1"))
    tools = Tools(
        java=cast("Any", SimpleNamespace(description="Java 17")), kafka=cast("Any", kafka),
        agent_jar=agent_jar,
    )  # fmt: skip
    kip_501 = cell(load("kip-501", 0.2), Path("out"), scale=0.2, seed=5)
    return runner.begin(Plan(cells=[kip_501], tools=tools, skip=skip))


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
