"""The running cluster of one arm, on which one scenario plays, or several in turn."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from insync import arms
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.containers import ContainerCluster
from insync.brokers.cluster.links.proxies import Links
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import Equipment
from insync.brokers.kafka.distribution import Distribution
from insync.errors import InsyncError
from insync.faults.support.control import MAX_RULES, ControlFile
from insync.faults.support.shim import preload
from insync.nodes import BROKERS, CONTROLLER_ID
from insync.run.disks import NO_DISKS, Disks, equipped, open_disks
from insync.run.plan import Plan, carries_agent
from insync.run.requirements import breaks_links, stall_rules, stalled
from insync.run.watch import Watch
from insync.scenario.model import Broker, Scenario

AGENT_EVENTS = "agent"
BRIDGE = "bridge"
HEARTBEATS = 10  # in a broker's session: a late one or two do not end it


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """An arm's cluster; `controls` holds the stall control file of each broker that has one.

    `home` is the folder of all that the arm's nodes leave; its `bridge` that of the agents'
    connection files, one per broker. `links` are there if a link is to be broken, `disks` are
    what some log folders are on, `agent` is what the nodes carry.
    """

    arm: str
    kafka: Distribution
    cluster: NodeCluster
    controls: Mapping[int, ControlFile]
    home: Path
    links: Links | None = None
    disks: Disks = NO_DISKS
    agent: AgentSpec | None = None

    @property
    def bridge(self) -> Path:
        """The folder of the agents' connection files."""
        return self.home / BRIDGE

    def asked_to_elect(self, last: Collection[int] = ()) -> list[int]:
        """Return who may be asked for an election, in order, those in `last` after the others.

        On ZooKeeper the controller does it itself; on KRaft brokers pass it on.
        """
        if self.kafka.release.zookeeper:
            return [CONTROLLER_ID]
        return sorted(range(1, BROKERS + 1), key=lambda broker: broker in last)

    def check_nodes(self) -> None:
        """Raise InsyncError if a node has ended."""
        for node in self.cluster.nodes.values():
            code = node.process.poll()
            if code is not None:
                raise InsyncError(f"{node.role} {node.id}: ended with {code}, see {node.log}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """The cluster that a scenario wants of an arm; those that want the same may share one."""

    settings: Mapping[str, str]
    controller_agent: bool


def wanted(scenario: Scenario, arm: str) -> Wanted:
    """Return what cluster a scenario wants of an arm."""
    return Wanted(
        settings=broker_settings(scenario, arm),
        controller_agent=arms.has_agent(arm) and scenario.broker.controller_agent,
    )


def broker_settings(scenario: Scenario, arm: str) -> dict[str, str]:
    """Return what a scenario and an arm add to every node's server.properties."""
    broker = scenario.broker
    return {
        "replica.lag.time.max.ms": str(broker.replica_lag_time_max_ms * arms.lag_factor(arm)),
        "replica.fetch.wait.max.ms": str(broker.replica_fetch_wait_max_ms),
        "num.io.threads": str(broker.num_io_threads),
        **_fetch_backoff(broker.replica_fetch_backoff_ms),
        **_flushes(broker.log_flush_interval_messages),
        **_retention(broker.log_retention_check_interval_ms),
        **_rebalance(broker.leader_imbalance_check_interval_seconds),
        **_session(broker.broker_session_timeout_ms),
        **(_step_down(broker) if arms.steps_down(arm) else {}),
        # Last: a wild arm's settings take the place of the scenario's.
        **arms.settings(arm),
    }


def _fetch_backoff(time_ms: int | None) -> dict[str, str]:
    """Return how soon a follower asks again whom it takes for the leader; none for Kafka's own."""
    return {} if time_ms is None else {"replica.fetch.backoff.ms": str(time_ms)}


def _step_down(broker: Broker) -> dict[str, str]:
    """Return when a leader steps down; the agent's own defaults for what is not said."""
    times = {
        "leader.fetch.process.time.max.ms": broker.leader_fetch_process_time_max_ms,
        "leader.relinquish.cooldown.ms": broker.leader_relinquish_cooldown_ms,
        "leader.relinquish.score.recovery.ms": broker.leader_relinquish_score_recovery_ms,
    }
    return {name: str(time_ms) for name, time_ms in times.items() if time_ms is not None}


def _rebalance(seconds: int | None) -> dict[str, str]:
    """Return whether the controller brings leaders back by itself, and how often.

    None: who leads is the scenario's to say, and an election stays as it is.
    """
    if seconds is None:
        return {"auto.leader.rebalance.enable": "false"}
    return {
        "auto.leader.rebalance.enable": "true",
        "leader.imbalance.check.interval.seconds": str(seconds),
        "leader.imbalance.per.broker.percentage": "0",  # at the first that is led by another
    }


def _retention(interval_ms: int | None) -> dict[str, str]:
    """Return how often brokers delete what is too old or too much; none for Kafka's own."""
    if interval_ms is None:
        return {}
    # The second is unknown to old versions, whose first look is 30 s after the start.
    names = ("log.retention.check.interval.ms", "log.initial.task.delay.ms")
    return dict.fromkeys(names, str(interval_ms))


def _flushes(interval: int | None) -> dict[str, str]:
    """Return the setting by which brokers call fsync; none for Kafka's own, which is never."""
    return {} if interval is None else {"log.flush.interval.messages": str(interval)}


def _session(timeout_ms: int | None) -> dict[str, str]:
    """Return the settings by which a silent broker is taken for dead; none for Kafka's own."""
    if timeout_ms is None:
        return {}
    return {
        "broker.session.timeout.ms": str(timeout_ms),
        "broker.heartbeat.interval.ms": str(max(1, timeout_ms // HEARTBEATS)),
    }


@contextmanager
def open_stage(
    plans: Sequence[Plan],
    arm: str,
    home: Path,
    watch: Watch,
    agent_events: Path | None = None,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Stage]:
    """Start a cluster under `home` that suits all `plans`; at the end it is gone, with its data.

    `agent_events` is where the agents leave their own events, else a folder in `home`;
    `settings` are added to every node's server.properties.
    Raises InsyncError if the plans do not want the same brokers or if a node does not start.
    """
    want, *others = [wanted(plan.scenario, arm) for plan in plans]
    if any(each != want for each in others):
        raise InsyncError(f"{arm}: scenarios that want different nodes on one cluster")
    controls, equipment = _stall_controls(plans, home)
    keep = plans[0].request.keep_data
    agent = _agent(plans[0], arm, home, agent_events or home / AGENT_EVENTS)
    scenarios = [plan.scenario for plan in plans]
    with _open_links(plans) as links:
        cluster = _kind_of_cluster(plans[0])(
            plans[0].kafka,
            home,
            brokers=BROKERS,
            settings={**want.settings, **(settings or {})},
            agent=agent,
            equipment=equipped(equipment, scenarios),
            links=links,
            elr=arms.ARMS[arm].elr,
        )
        kafka = plans[0].kafka
        watch.phase(f"{arm}: starting the cluster")
        try:
            with open_disks(scenarios, home, keep=keep) as disks, cluster:
                yield Stage(
                    arm=arm, kafka=kafka, cluster=cluster, controls=controls, home=home,
                    links=links, disks=disks, agent=agent,
                )  # fmt: skip
        finally:
            if not keep:
                cluster.remove_data()


def _open_links(plans: Sequence[Plan]) -> AbstractContextManager[Links | None]:
    """Return the proxies between the brokers if a plan breaks a link, else nothing."""
    if not any(breaks_links(plan.scenario) for plan in plans):
        return nullcontext()
    return Links(range(1, BROKERS + 1))


def _kind_of_cluster(plan: Plan) -> Callable[..., NodeCluster]:
    """Return what makes the cluster that a plan is for."""
    return LocalCluster if plan.image is None else partial(ContainerCluster, image=plan.image)


def _agent(plan: Plan, arm: str, home: Path, events: Path) -> AgentSpec | None:
    if not carries_agent(plan.scenario, arm) or plan.agent_jar is None:
        return None
    for folder in (home / BRIDGE, events):
        folder.mkdir(parents=True, exist_ok=True)
    return AgentSpec(
        jar=plan.agent_jar, events_dir=events, bridge_dir=home / BRIDGE,
        on_controller=plan.scenario.broker.controller_agent,
        holds=plan.scenario.race is not None,
    )  # fmt: skip


def _stall_controls(
    plans: Sequence[Plan], home: Path
) -> tuple[dict[int, ControlFile], dict[int, Equipment]]:
    """Make a control file per broker to be stalled, and what puts it under the shim."""
    controls: dict[int, ControlFile] = {}
    equipment: dict[int, Equipment] = {}
    shim = next((plan.shim for plan in plans if plan.shim is not None), None)
    if shim is None:
        return controls, equipment
    home.mkdir(parents=True, exist_ok=True)
    rules = sum(stall_rules(plan.scenario) for plan in plans)
    for broker in sorted({broker for plan in plans for broker in stalled(plan.scenario)}):
        path = home / f"stall-{broker}.control"
        controls[broker] = ControlFile.create(path, home / str(broker), min(rules, MAX_RULES))
        equipment[broker] = Equipment(environment=preload(shim, path), files=[shim], shared=[path])
    return controls, equipment
