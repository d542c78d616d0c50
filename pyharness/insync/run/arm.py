"""One arm: a fresh cluster, all repeats on it, then the ISR's history from its metadata log."""

from collections.abc import Mapping

from insync.cluster.agent import AgentSpec
from insync.cluster.local import LocalCluster
from insync.cluster.metadata_log import isr_events
from insync.events.schema import ISR, bridge_dir, events_dir, nodes_dir
from insync.events.writer import EventWriter
from insync.faults.control import ControlFile
from insync.faults.stall import preload
from insync.run.context import ArmContext, ArmFiles
from insync.run.plan import AGENT_ARMS, FEATURE, Plan
from insync.run.repeat import run_repeat
from insync.run.watch import Watch
from insync.scenario.model import BROKERS, Scenario


def run_arm(plan: Plan, arm: str, watch: Watch) -> None:
    """Run all repeats of one arm; the cluster is gone when this returns or raises."""
    with ArmFiles(plan, arm) as files:
        try:
            _run_arm(plan, arm, files, watch)
        except BaseException as error:  # also Ctrl-C: the record must show that it was cut short
            files.phase("aborted", note=f"{type(error).__name__}: {error}")
            raise


def _run_arm(plan: Plan, arm: str, files: ArmFiles, watch: Watch) -> None:
    controls, environments = _stall_controls(plan, arm)
    cluster = LocalCluster(
        plan.kafka,
        nodes_dir(plan.out, arm),
        brokers=BROKERS,
        settings=_settings(plan.scenario, arm),
        agent=_agent(plan, arm),
        preload=environments,
    )
    context = ArmContext(plan=plan, arm=arm, cluster=cluster, controls=controls, files=files)
    try:
        _run_repeats(context, watch)
        watch.phase(f"{arm}: reading the controller's log")
        with EventWriter(files.folder / ISR) as lines:
            for line in isr_events(cluster, plan.kafka, arm):
                lines.write(line)
    finally:
        if not plan.request.keep_data:
            cluster.remove_data()


def _run_repeats(context: ArmContext, watch: Watch) -> None:
    watch.phase(f"{context.arm}: starting the cluster")
    with context.cluster:
        context.files.phase("cluster_ready")
        for repeat in range(context.plan.scenario.repeats):
            run_repeat(context, repeat, watch)
            watch.repeat_done()


def _settings(scenario: Scenario, arm: str) -> dict[str, str]:
    settings = {
        "replica.lag.time.max.ms": str(scenario.broker.replica_lag_time_max_ms),
        "replica.fetch.wait.max.ms": str(scenario.broker.replica_fetch_wait_max_ms),
    }
    if arm == "plugin":
        settings[FEATURE] = "true"
    return settings


def _agent(plan: Plan, arm: str) -> AgentSpec | None:
    if arm not in AGENT_ARMS or plan.agent_jar is None:
        return None
    folder = bridge_dir(plan.out, arm)
    folder.mkdir(parents=True, exist_ok=True)
    return AgentSpec(jar=plan.agent_jar, events_dir=events_dir(plan.out, arm), bridge_dir=folder)


def _stall_controls(
    plan: Plan, arm: str
) -> tuple[dict[int, ControlFile], dict[int, Mapping[str, str]]]:
    """Make a control file per faulted broker, and the environment that broker starts with."""
    controls: dict[int, ControlFile] = {}
    environments: dict[int, Mapping[str, str]] = {}
    if plan.shim is None:
        return controls, environments
    folder = nodes_dir(plan.out, arm)
    folder.mkdir(parents=True, exist_ok=True)
    for broker in sorted({fault.broker for fault in plan.scenario.faults}):
        path = folder / f"stall-{broker}.control"
        rules = sum(len(fault.partitions) for fault in plan.scenario.faults)
        capacity = rules * plan.scenario.repeats
        controls[broker] = ControlFile.create(path, folder / str(broker), capacity)
        environments[broker] = preload(plan.shim, path)
    return controls, environments
