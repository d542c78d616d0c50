"""Makes faults on clusters of tests: in a scenario of a few seconds, or one by one."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import tomli_w

from event_lines import lines_of
from insync.analysis.verdict.facts import FaultFact, facts_of
from insync.analysis.verdict.invalid_reasons import missing_evidence
from insync.brokers.cluster.common import NodeCluster
from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault, FaultContext, refusal
from insync.faults.cluster import FaultCluster
from insync.faults.kinds import cpu_neighbour
from insync.faults.registry import KINDS, fault_of
from insync.faults.support import shares
from insync.faults.support.control import ControlFile
from insync.progress import Progress
from insync.run.plan import prepare
from insync.run.request import ClusterKind, RunRequest
from insync.run.runner import execute
from insync.scenario.load import parse

Keys = Mapping[str, Any]

NO_QUOTA = refusal(shares.place)
STALL = {"kind": "stall", "mode": "hold", "partitions": [0]}
FAULTS: dict[str, dict[str, Any]] = {
    "read stall": {**STALL, "site": "read", "broker": 1},
    "send stall": {**STALL, "site": "send", "broker": 1},
    "write stall": {**STALL, "site": "write", "broker": 3},
    "freeze": {"kind": "freeze", "broker": 2},
    "cpu-quota": {"kind": "cpu-quota", "broker": 2, "quota_percent": 1.0},
    "controller freeze": {"kind": "freeze", "target": "controller"},
    "cpu-neighbour": {"kind": "cpu-neighbour", "broker": 2},
    "link": {"kind": "link", "broker": 1, "peer": 2, "mode": "cut"},
    "one-way link": {"kind": "link", "broker": 3, "peer": 1, "mode": "cut", "direction": "from"},
    "lossy link": {"kind": "link", "broker": 3, "peer": 1, "mode": "loss", "loss_percent": 50.0},
    "client-link": {"kind": "client-link", "broker": 2, "mode": "cut", "direction": "to"},
    "slow client-link": {
        "kind": "client-link", "broker": 2, "mode": "delay", "delay_ms": 50, "direction": "from",
    },
    "controller-link": {"kind": "controller-link", "broker": 2, "mode": "cut"},
    "jvm-pause": {"kind": "jvm-pause", "broker": 3},
    "queue-stall": {"kind": "queue-stall", "broker": 1},
    "elect": {"kind": "elect", "broker": 2, "partitions": [0]},
    "clock-jump": {"kind": "clock-jump", "broker": 1, "by_ms": 60_000},
    # A kill with one thing more; scenarios have the plain one.
    "lost-log": {"kind": "lost-log", "broker": 3},
}  # fmt: skip
"""The faults that test_faults.py injects into real brokers, by a name for each."""
UNAVAILABLE = {"cpu-quota": NO_QUOTA, "cpu-neighbour": cpu_neighbour.unavailable()}
"""Why some of them do not work on this machine; None: they do."""

_BROKER = {
    "replica_lag_time_max_ms": 2_000,
    "replica_fetch_wait_max_ms": 500,
    "broker_session_timeout_ms": 2_000,
}
_WORKLOAD = {"leaders": [1, 2, 3], "rate_per_partition": 25, "record_bytes": 200}


def fault_tables(faults: Iterable[Keys]) -> str:
    return "".join(f"[[faults]]\n{tomli_w.dumps(fault)}" for fault in faults)


def small_scenario(
    name: str, faults: Iterable[Keys] = (), *, broker: Keys | None = None,
    workload: Keys | None = None, timeline: Keys | None = None, **head: Any,
) -> str:  # fmt: skip
    """Return a scenario file: stock brokers, three partitions, one repeat, unless keys differ."""
    tables = {
        "broker": {**_BROKER, **(broker or {})},
        "workload": {**_WORKLOAD, **(workload or {})},
        "timeline": {"steady_ms": 500, "recover_ms": 1_000, **(timeline or {})},
        "faults": list(faults),
    }
    made = {"schema": 1, "name": name, "summary": "of a test", "arms": ["stock"], "repeats": 1}
    return tomli_w.dumps({**made, "min_insync_replicas": 1, **head, **tables})


def run_faults(
    folder: Path, text: str, cluster: ClusterKind = "local"
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Run a scenario file on stock in `folder`/run; return each fault's plan and evidence."""
    file = folder / "scenario.toml"
    file.write_text(text, encoding="utf-8")
    request = RunRequest(scenario=str(file), out=folder / "run", cluster=cluster)
    execute(prepare(request, Progress()), Progress())
    plans = [fault.model_dump(mode="json") for fault in parse(text, "scenario").faults]
    return list(zip(plans, lines_of(folder / "run", "stock", "faults.jsonl"), strict=True))


def weaknesses(plan: Keys, line: dict[str, Any]) -> Sequence[str]:
    """Return why the evidence does not show that the planned fault acted; nothing if it does."""
    (fact,) = facts_of(FaultFact, [line])
    return list(missing_evidence(PlannedFault(**plan), fact, plan["kind"]))


def during(fault: Fault, act: Callable[[], float], seconds: float = 1.5) -> tuple[float, FaultLine]:
    """Return what `act` measures from the beginning of a fault on, and the fault's evidence.

    The fault ends after these seconds, or with `act` if that takes longer.
    """
    fault.inject()
    lifting = threading.Timer(seconds, fault.lift)
    lifting.start()
    try:
        took = act()
    finally:
        lifting.join()
    return took, fault.evidence()


def planned(
    cluster: object, kind: str, *, topic: str = "t-r0", repeat: int = 0,
    leaders: Sequence[int] = (), io_threads: int = 0, configs: Mapping[str, str] | None = None,
    other: str | None = None, clients: Any = None, transactions: Sequence[str] = (), **keys: Any,
) -> Fault[Any]:  # fmt: skip
    """Return the fault that these keys of a scenario plan; nothing is done yet.

    `topic` is the workload's, `other` the fault's own key of that name.
    """
    spec_of = KINDS[kind].spec
    whole = {"kind": kind, "broker": 1, "at_ms": 0, **keys}
    if other is not None:
        whole["topic"] = other
    if "for_ms" in spec_of.model_fields:
        whole.setdefault("for_ms", 100)
    spec = spec_of.model_validate(whole)
    at = FaultContext.of(
        spec, arm="stock", repeat=repeat, topic=topic, leaders=leaders, io_threads=io_threads,
        beside=f"{topic}-beside", configs=configs, clients=clients, transactions=transactions,
    )  # fmt: skip
    return fault_of(spec, at, cast("FaultCluster", cluster))


def running(cluster: NodeCluster, **controls: ControlFile) -> FaultCluster:
    """Return a running cluster as faults see it; `controls` are those of brokers b1, b2, ..."""
    found = {int(name.lstrip("b")): control for name, control in controls.items()}
    return FaultCluster(kafka=cluster.dist, cluster=cluster, controls=found, home=cluster.folder)


class OneNode:
    """Stands for the cluster of one node: it is there, and nothing else is asked of it."""

    def __init__(
        self, process: Any = None, *, folder: Path = Path("none"), port: int = 0, **more: Any
    ) -> None:
        """`process` is the node's; `more` are further attributes of a cluster."""
        self.one = process
        self.at = SimpleNamespace(
            folder=folder, data_dir=folder, data_dirs=[folder], log=folder / "log", port=port
        )
        self.cluster = self
        self.__dict__.update(more)

    def node(self, _: int) -> Any:
        return self.at

    def process(self, _: int) -> Any:
        return self.one

    def container(self, _: int) -> None:
        return None
