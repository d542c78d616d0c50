"""Run a scenario on a cluster that insync did not start, and that it leaves as it was.

It creates topics with a prefix of the run's own, and deletes those. Of the nodes it has no files;
the scenario's brokers 1 to 3 are three brokers of the cluster, in the order of their ids.
"""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from insync import arms
from insync.brokers.cluster.admin import (
    broker_ids,
    delete_groups,
    delete_topic,
    partitions,
    setting_of,
)
from insync.brokers.cluster.common import AttachedCluster
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import find_java
from insync.brokers.kafka.versions import Release
from insync.clients import uses
from insync.errors import InputError, InsyncError
from insync.events.schema import nodes_dir
from insync.faults.registry import KINDS
from insync.faults.support.control import ControlFile
from insync.nodes import BROKERS
from insync.run.arm_cluster import ArmCluster
from insync.run.cell import CellSpec
from insync.run.context import asking
from insync.run.plan import Plan, Tools, cells_of, scenario_of
from insync.run.request import Existing, RunRequest, check_out
from insync.run.requirements import needs, stalled, unavailable
from insync.scenario.model import Scenario

LAG: Final = "replica.lag.time.max.ms"
DELETED_WITHIN_S: Final = 10.0


def prepare_attached(request: RunRequest, existing: Existing) -> Plan:
    """Check the whole request; raises InputError. Creates no file and changes nothing."""
    out = None if request.out is None else check_out(request.out)
    text, scenario = scenario_of(request)
    if problem := next(_problems(request, existing, scenario), None):
        raise InputError(f"--cluster existing: {problem}")
    ids = broker_ids(existing.bootstrap)
    if len(ids) < BROKERS:
        raise InputError(
            f"--bootstrap {existing.bootstrap}: has brokers {ids}, expected {BROKERS} or more"
        )
    brokers = tuple(ids[:BROKERS])
    version = _version(existing, scenario.arms[0], brokers)
    controls_of(scenario, existing, brokers)
    java = find_java()
    cells = cells_of(
        request, _with_lag(scenario, existing, brokers[0]), text, out, brokers=brokers,
        topic_prefix=f"insync-{uuid.uuid4().hex[:8]}-", controller_agent=False,
    )  # fmt: skip
    return Plan(
        cells=cells,
        tools=Tools(
            java=java, kafka=Distribution(Release(version, ()), java, (), Path(), None),
        ),
        skip=unavailable(scenario, "existing", cells[0].out),
    )  # fmt: skip


def _problems(request: RunRequest, existing: Existing, scenario: Scenario) -> Iterator[str]:
    """Yield what needs nodes of our own, or an arm or a permission that was not given."""
    arm = scenario.arms[0]
    if request.arms is None or len(scenario.arms) != 1:
        yield "expected --arms with the one arm that the brokers are"
    if arms.has_agent(arm) and existing.bridges is None:
        yield f"--arms {arm}: expected --bridges: only they show that brokers have the agent"
    if scenario.race is not None:
        yield f"{scenario.name}: a race, expected a scenario without pause points"
    if scenario.workload.transactions or any(fault.other_topic for fault in scenario.faults):
        yield (
            "workload.transactions, or a fault's topic: expected none: they move the partitions of"
            " Kafka's own topics"
        )
    if uses(scenario.workload.client, "java"):
        yield f"--client {scenario.workload.client}: expected librdkafka"
    if request.events is not None:
        yield f"--events-topic {request.events.name}: expected none"
    kinds = sorted({fault.kind for fault in scenario.faults})
    if foreign := [kind for kind in kinds if "existing" not in KINDS[kind].probes]:
        yield (
            f"{scenario.name} injects {', '.join(foreign)}: expected only kinds that need no node"
            " of insync's own: `insync faults --cluster existing`"
        )
    if kinds and not existing.allow_faults:
        yield f"{scenario.name} injects {', '.join(kinds)}: expected --allow-faults"


def _version(existing: Existing, arm: str, brokers: Sequence[int]) -> str:
    """Return the brokers' version by the answer of the agents, "unknown" without any."""
    if existing.bridges is None:
        return "unknown"
    versions, settings = set(), {}
    for broker in brokers:
        try:
            with asking(existing.bridges, broker) as client:
                versions.add(client.broker_version())
                settings[broker] = client.settings()
        except InsyncError as error:
            raise InputError(f"--bridges {existing.bridges}: {error}") from error
    if len(versions) != 1:
        raise InputError(
            f"--bridges {existing.bridges}: brokers have {sorted(versions)}, expected one"
        )
    for broker, found in settings.items():
        on, wanted = bool(found[arms.FEATURE]), arms.feature_on(arm)
        if on != wanted:
            raise InputError(
                f"--arms {arm}: broker {broker} has {arms.FEATURE}={str(on).lower()},"
                f" expected {str(wanted).lower()}"
            )
    return versions.pop()


def _with_lag(scenario: Scenario, existing: Existing, broker: int) -> Scenario:
    """Return the scenario with the lag limit that the cluster has: nothing changes it."""
    found = setting_of(existing.bootstrap, broker, LAG)
    if found is None:
        return scenario
    own = scenario.broker.model_copy(update={"replica_lag_time_max_ms": int(found)})
    return scenario.model_copy(update={"broker": own})


def controls_of(
    scenario: Scenario, existing: Existing, brokers: Sequence[int]
) -> dict[int, ControlFile]:
    """Return the control files of the brokers that a scenario stalls, by the scenario's numbers.

    Raises InputError for a broker that does not run under the shim.
    """
    needed = stalled(scenario)
    if not needed:
        return {}
    if existing.controls is None:
        raise InputError(
            "--allow-faults: expected --controls with the control files of brokers that run under"
            " the shim"
        )
    controls: dict[int, ControlFile] = {}
    for number in sorted(needed):
        path = existing.controls / f"stall-{brokers[number - 1]}.control"
        try:
            control = ControlFile(path)
        except (OSError, InsyncError) as error:
            raise InputError(f"--controls {path}: {error}") from error
        if not control.attached:
            raise InputError(
                f"--controls {path}: no broker has loaded it, expected one under the shim"
            )
        left = int(control.header.capacity) - int(control.header.used)
        if left < (rules := needs(scenario).stall_rules):
            raise InputError(
                f"--controls {path}: room for {left} more rules, expected {rules}:"
                " start the broker with a new file"
            )
        controls[number] = control
    return controls


@contextmanager
def attached(cell: CellSpec, existing: Existing, tools: Tools) -> Iterator[ArmCluster]:
    """Use the cell's cluster for a block; at its end the run's own topics are deleted."""
    home = nodes_dir(cell.out, cell.arm)
    cluster = AttachedCluster(existing.bootstrap)
    try:
        yield ArmCluster(
            arm=cell.arm, kafka=tools.kafka, cluster=cluster, home=home, brokers=cell.brokers,
            controls=controls_of(cell.scenario, existing, cell.brokers), bridges=existing.bridges,
        )  # fmt: skip
    finally:
        for topic in cell.topics:
            _remove(cell, existing.bootstrap, topic)


def _remove(cell: CellSpec, bootstrap: str, topic: str) -> None:
    """Delete a topic of the run, if it was made, and its consumer groups."""
    server = bootstrap.split(",")[0]
    with suppress(OSError):
        if partitions(server, topic):
            delete_topic(bootstrap, topic, DELETED_WITHIN_S)
    groups = [f"{topic}-group-{number}" for number in range(len(cell.scenario.workload.groups))]
    if groups:
        delete_groups(bootstrap, groups)
