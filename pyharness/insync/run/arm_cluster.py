"""Start the cluster of one arm, on which one scenario runs, or several one after the other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from insync import arms
from insync.brokers.cluster.common import ONE_CONTROLLER, Controllers, NodeCluster
from insync.brokers.cluster.containers import ContainerCluster
from insync.brokers.cluster.links.proxies import Links
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import NO_EXTRAS, AgentSpec, NodeExtras
from insync.brokers.kafka import formats, process
from insync.brokers.kafka.cache import woven_classes
from insync.brokers.kafka.distribution import Distribution
from insync.errors import InsyncError
from insync.faults.cluster import Disks, FaultCluster
from insync.faults.kind import STALLABLE, VOLUME
from insync.faults.registry import tags_of
from insync.faults.support.control import MAX_RULES, ControlFile
from insync.faults.support.disk.passthrough import Passthrough
from insync.faults.support.disk.volume import Volume
from insync.faults.support.shim import preload
from insync.nodes import BROKERS, CONTROLLER_ID
from insync.progress import Progress
from insync.run.cell import CellSpec
from insync.run.plan import Tools
from insync.run.requirements import needs, stalled
from insync.running import Running
from insync.scenario.model import Broker, PlannedWorkload, Scenario
from insync.workload.plan import rack_of

BEHIND_A_GATE: Final = {"log.index.interval.bytes": "0"}
"""Settings of a broker whose log files bypass the page cache: it searches for a record from the
nearest index entry on, batch by batch, and each step is a call of the file system."""


def with_disk_settings(
    extras: Mapping[int, NodeExtras], scenarios: Sequence[Scenario]
) -> dict[int, NodeExtras]:
    """Return the brokers' extras, with the settings of those whose disk can be stalled."""
    made = dict(extras)
    for broker in _on(scenarios, STALLABLE):
        own = made.get(broker, NO_EXTRAS)
        made[broker] = replace(own, settings={**own.settings, **BEHIND_A_GATE})
    return made


def disks_differ(scenarios: Sequence[Scenario]) -> str | None:
    """Return which broker needs different disks for the scenarios, or None."""
    needed: dict[int, str] = {}
    for fault in (fault for scenario in scenarios for fault in scenario.faults):
        disk = tags_of(fault).log_folder
        if disk and needed.setdefault(fault.broker, disk) != disk:
            return (
                f"broker {fault.broker}: scenarios on one cluster need different disks:"
                f" {needed[fault.broker]} and {disk}"
            )
    return None


@contextmanager
def open_disks(
    scenarios: Sequence[Scenario], home: Path, *, keep: bool, zookeeper: bool = False
) -> Iterator[Disks]:
    """Mount what the scenarios need over log folders below `home`, before the brokers start.

    All is unmounted at the end, and the brokers must have ended by then. Data written through a
    passthrough file system stays in its folder; a volume and its data are removed unless `keep`.
    `zookeeper`: the controller is a broker like the others.
    Raises InsyncError if a mount fails, or if two scenarios need different disks for one broker.
    """
    if difference := disks_differ(scenarios):
        raise InsyncError(difference)
    gates: dict[int, ControlFile] = {}
    volumes: dict[int, Volume] = {}
    tracked: dict[int, Sequence[Passthrough]] = {}
    with ExitStack() as mounted:
        for broker in _on(scenarios, STALLABLE):
            need = needs(*scenarios, broker=broker)
            folders = {formats.DATA: home / f"disk-{broker}.control"}
            if need.tracks_flushes:
                folders[formats.METADATA] = home / f"metadata-disk-{broker}.control"
            made = []
            for part, control in folders.items():
                gate = Passthrough.mount(
                    _made(home, broker, part), control, min(max(1, need.disk_rules), MAX_RULES),
                    partial(_start, home), tracked=need.tracks_flushes,
                )  # fmt: skip
                mounted.callback(gate.unmount)
                made.append(gate)
            gates[broker] = made[0].control
            if need.tracks_flushes:
                tracked[broker] = made
        for broker in _on(scenarios, VOLUME):
            metadata = broker == CONTROLLER_ID and not zookeeper
            folder = _made(home, broker, formats.METADATA if metadata else formats.DATA)
            volumes[broker] = Volume.make(folder, home)
            mounted.callback(volumes[broker].unmount if keep else volumes[broker].remove)
        yield Disks(gates=gates, volumes=volumes, tracked=tracked)


def _on(scenarios: Sequence[Scenario], disk: str) -> list[int]:
    """Return the brokers whose log folders must be on a kind of disk."""
    faults = (fault for scenario in scenarios for fault in scenario.faults)
    return sorted({fault.broker for fault in faults if tags_of(fault).log_folder == disk})


def _made(home: Path, node: int, part: str) -> Path:
    """Create the data or metadata folder that a node will use."""
    folder = (home / str(node) / part).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _start(home: Path, command: Sequence[str], log: Path) -> Running:
    return process.start(command, log=log, folder=home)


AGENT_EVENTS = "agent"
BRIDGE = "bridge"
OURS = "insync_"
OF_STEP_DOWNS = ("leader_fetch_process_", f"{OURS}relinquish_")
NO_SETTINGS = {"controller_agent", "controllers", "combined", "log_dirs", "settings"}
"""The keys of a scenario's brokers that are not the name of a setting."""
SELECTOR: Final = "replica.selector.class"
RACK_AWARE: Final = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
HEARTBEATS = 10  # per broker session, so that one or two late heartbeats do not end it


@dataclass(frozen=True, kw_only=True, slots=True)
class ArmCluster(FaultCluster):
    """The running cluster of an arm; `brokers` are the ids of the scenario's brokers 1, 2, ...

    `bridges` is the folder of the connection files of a cluster that insync did not start.
    """

    arm: str
    agent: AgentSpec | None = None
    brokers: Sequence[int] = tuple(range(1, BROKERS + 1))
    bridges: Path | None = None

    @property
    def bridge(self) -> Path:
        return self.bridges or self.home / BRIDGE

    def ids_of(self, numbers: Sequence[int]) -> list[int]:
        return [self.brokers[number - 1] for number in numbers]

    def check_nodes(self) -> None:
        """Raise InsyncError if a node has ended."""
        for words in self.ended_nodes().values():
            raise InsyncError(words)

    def ended_nodes(self) -> dict[int, str]:
        """Return the nodes that have ended, each with its exit code and its log in words."""
        codes = {node.id: (node, node.process.poll()) for node in self.cluster.nodes.values()}
        return {
            number: f"{node.role} {number}: ended with {code}, see {node.log}"
            for number, (node, code) in codes.items()
            if code is not None
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterSpec:
    """What a scenario requires of an arm's cluster; scenarios with equal values may share one."""

    settings: Mapping[str, str]
    controller_agent: bool
    controllers: Controllers


def cluster_spec(scenario: Scenario, arm: str) -> ClusterSpec:
    return ClusterSpec(
        settings=broker_settings(scenario, arm),
        controller_agent=arms.has_agent(arm) and scenario.broker.controller_agent,
        controllers=Controllers(scenario.broker.controllers, combined=scenario.broker.combined),
    )


def broker_settings(scenario: Scenario, arm: str) -> dict[str, str]:
    """Return the settings that a scenario and an arm add to every node's server.properties.

    The scenario's keys are Kafka's names; a key that it does not set keeps its default.
    """
    broker = scenario.broker
    own = broker.model_dump(exclude=NO_SETTINGS, exclude_none=True)
    if not arms.steps_down(arm):
        own = {name: value for name, value in own.items() if not name.startswith(OF_STEP_DOWNS)}
    elif not arms.has_agent(arm):
        own = {name: value for name, value in own.items() if not name.startswith(OURS)}
    elif arms.ARMS[arm].late:
        own["leader_fetch_process_time_max_ms"] = broker.replica_lag_time_max_ms
    return {
        **{name.replace("_", "."): str(value) for name, value in own.items()},
        **_beside(broker),
        **_of_groups(scenario.workload),
        **({} if scenario.workload.read_from is None else {SELECTOR: RACK_AWARE}),
        "replica.lag.time.max.ms": str(broker.replica_lag_time_max_ms * arms.lag_factor(arm)),
        **broker.settings,
        # Last: settings of the arm replace those of the scenario.
        **arms.settings(arm),
    }


def _beside(broker: Broker) -> dict[str, str]:
    """Return the settings that follow from those of the scenario."""
    # Without rebalancing only the scenario changes leaders, and no change is undone.
    rebalances = broker.leader_imbalance_check_interval_seconds is not None
    beside = {"auto.leader.rebalance.enable": "true" if rebalances else "false"}
    if rebalances:  # at the first partition with another leader
        beside["leader.imbalance.per.broker.percentage"] = "0"
    if broker.log_retention_check_interval_ms is not None:
        # Old versions do not know it; they first check 30 s after the start.
        beside["log.initial.task.delay.ms"] = str(broker.log_retention_check_interval_ms)
    if broker.log_dirs > 1:
        beside["log.dirs"] = ",".join(formats.log_dirs(broker.log_dirs))
    if broker.broker_session_timeout_ms is not None:
        heartbeat_ms = max(1, broker.broker_session_timeout_ms // HEARTBEATS)
        beside["broker.heartbeat.interval.ms"] = str(heartbeat_ms)
    return beside


def _of_groups(workload: PlannedWorkload) -> dict[str, str]:
    """Return the settings of consumer groups' sessions, if a scenario has its own.

    Members with the classic protocol say their session, of which brokers have a lower limit; with
    the other protocol brokers say it.
    """
    session_ms = next((group.session_timeout_ms for group in workload.groups), None)
    if session_ms is None:
        return {}
    heartbeat_ms = str(max(1, session_ms // HEARTBEATS))
    return {
        "group.min.session.timeout.ms": str(session_ms),
        "group.consumer.min.session.timeout.ms": str(session_ms),
        "group.consumer.session.timeout.ms": str(session_ms),
        "group.consumer.min.heartbeat.interval.ms": heartbeat_ms,
        "group.consumer.heartbeat.interval.ms": heartbeat_ms,
    }


@contextmanager
def open_arm_cluster(
    cells: Sequence[CellSpec],
    tools: Tools,
    home: Path,
    progress: Progress,
    agent_events: Path | None = None,
    settings: Mapping[str, str] | None = None,
) -> Iterator[ArmCluster]:
    """Start a cluster under `home` for all `cells`, which have one arm; at the end stop it.

    Its data stays until the verdict says that nobody needs it; an interrupt removes it at once,
    unless it is to be kept. `agent_events` is the folder for the agents' events, by default a
    folder in `home`; `settings` are added to every node's server.properties. Raises InsyncError if
    the cells require different clusters or if a node does not start.
    """
    arm, kafka = cells[0].arm, tools.kafka
    want, *others = [cluster_spec(cell.scenario, arm) for cell in cells]
    if any(each != want for each in others):
        raise InsyncError(f"{arm}: scenarios on one cluster require different settings")
    progress.phase(f"{arm}: starting the cluster")
    with assembled(
        [cell.scenario for cell in cells], arm, kafka, home,
        kind=LocalCluster if tools.image is None else partial(ContainerCluster, image=tools.image),
        agent=_agent(cells[0], tools, home, agent_events or home / AGENT_EVENTS),
        settings={**want.settings, **(settings or {})}, shim=tools.shim,
        controllers=want.controllers, keep=cells[0].keep_data,
    ) as opened:  # fmt: skip
        yield opened


@contextmanager
def assembled(
    scenarios: Sequence[Scenario],
    arm: str,
    kafka: Distribution,
    home: Path,
    *,
    kind: Callable[..., NodeCluster],
    agent: AgentSpec | None,
    settings: Mapping[str, str],
    shim: Path | None,
    keep: bool,
    brokers: int = BROKERS,
    flags: Sequence[str] = (),
    controllers: Controllers = ONE_CONTROLLER,
) -> Iterator[ArmCluster]:
    """Start a cluster that is prepared for the faults of some scenarios, and stop it at the end.

    `kind` makes its nodes, which have `settings`; `flags` are for the brokers' JVMs. The stall
    library is `shim`. An interrupt removes the data unless `keep`.
    """
    controls, stalls = stall_controls(scenarios, shim, home)
    extras = dict(with_disk_settings(stalls, scenarios))
    racks = SELECTOR in settings
    for broker in range(1, brokers + 1) if flags or racks else ():
        own = extras.get(broker, NO_EXTRAS)
        rack = {"broker.rack": rack_of(broker)} if racks else {}
        extras[broker] = replace(own, flags=(*own.flags, *flags), settings={**own.settings, **rack})
    with open_links(scenarios, controllers) as links:
        cluster = kind(
            kafka, home, brokers=brokers, settings=settings, agent=agent, extras=extras,
            links=links, elr=arms.ARMS[arm].elr, quorum=controllers,
        )  # fmt: skip
        try:
            opened = open_disks(scenarios, home, keep=keep, zookeeper=kafka.release.zookeeper)
            with opened as disks, cluster:
                yield ArmCluster(
                    arm=arm, kafka=kafka, cluster=cluster, controls=controls, home=home,
                    links=links, disks=disks, agent=agent,
                )  # fmt: skip
        except BaseException as error:
            # What went wrong may be in the data; after Ctrl-C or a signal nobody looks for it.
            if not isinstance(error, Exception) and not keep:
                cluster.remove_data()
            raise


def open_links(
    scenarios: Sequence[Scenario], controllers: Controllers
) -> AbstractContextManager[Links | None]:
    """Return the proxies between the nodes if a scenario changes a link, else None."""
    need = needs(*scenarios)
    if not (need.links or need.client_links or need.controller_links):
        return nullcontext()
    return Links(
        range(1, BROKERS + 1), clients=need.client_links, answers=need.answers,
        controllers=controllers.ids if need.controller_links else (),
    )  # fmt: skip


def _agent(cell: CellSpec, tools: Tools, home: Path, events: Path) -> AgentSpec | None:
    if not cell.carries_agent or tools.agent_jar is None:
        return None
    for folder in (home / BRIDGE, events):
        folder.mkdir(parents=True, exist_ok=True)
    return AgentSpec(
        jar=tools.agent_jar, events_dir=events, bridge_dir=home / BRIDGE,
        on_controller=cell.scenario.broker.controller_agent,
        holds=cell.scenario.race is not None,
        unknown_methods=cell.unknown_methods,
        cache=None if tools.image else woven_classes(),
    )  # fmt: skip


def stall_controls(
    scenarios: Sequence[Scenario], shim: Path | None, home: Path
) -> tuple[dict[int, ControlFile], dict[int, NodeExtras]]:
    """Create a control file for each broker that will be stalled, and the extras for the shim."""
    controls: dict[int, ControlFile] = {}
    extras: dict[int, NodeExtras] = {}
    if shim is None:
        return controls, extras
    home.mkdir(parents=True, exist_ok=True)
    rules = max(1, needs(*scenarios).stall_rules)
    for broker in sorted(stalled(*scenarios)):
        path = home / f"stall-{broker}.control"
        controls[broker] = ControlFile.create(path, home / str(broker), min(rules, MAX_RULES))
        extras[broker] = NodeExtras(
            environment=preload(shim, path), files=[shim], shared=[path],
            flags=needs(*scenarios, broker=broker).jvm_flags,
        )  # fmt: skip
    return controls, extras
