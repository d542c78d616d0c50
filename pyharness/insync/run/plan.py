"""Everything a run needs, checked before it makes its first file.

All that can be wrong with what was asked is found here, as InputErrors.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from insync import arms as arms_of_runs
from insync.artifacts import AGENT_JAR, built
from insync.brokers.cluster.replica_logs import require_reader
from insync.brokers.images.built import require
from insync.brokers.images.image import Image
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java, find_java
from insync.brokers.kafka.resolve import distribution
from insync.brokers.kafka.versions import find
from insync.errors import InputError
from insync.faults.support.shim import require_shim
from insync.run.request import RunRequest
from insync.run.requirements import stalled, unavailable
from insync.run.support import require_arms
from insync.run.watch import Watch
from insync.scenario.load import narrow, on_version, on_zookeeper, parse, source
from insync.scenario.model import Scenario


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A run that can begin: the scenario is scaled and narrowed to the arms asked for.

    `image` is that of the containers, where the cluster is of containers. `skip` says why it is
    not to be run on this machine; then only that is recorded.
    """

    request: RunRequest
    scenario: Scenario
    scenario_text: str
    java: Java
    kafka: Distribution
    shim: Path | None
    agent_jar: Path | None
    out: Path
    image: Image | None = None
    skip: str | None = None

    @property
    def controller_agent(self) -> bool:
        """Whether the controller carries the agent in the arms that have it: not on ZooKeeper."""
        return self.scenario.broker.controller_agent and not self.kafka.release.zookeeper


def prepare(request: RunRequest, watch: Watch) -> Plan:
    """Check all that was asked and fetch what is missing; raises InputError.

    Nothing is written but the user's cache of Kafka versions.
    """
    asked = None if request.out is None else check_out(request.out)
    plan = resolve(request, asked or Path(), watch)
    return plan if asked else replace(plan, out=check_out(_default_out(plan.scenario.name)))


def resolve(request: RunRequest, out: Path, watch: Watch) -> Plan:
    """Return the plan of a run into `out`, wherever that is; raises InputError."""
    text = source(request.scenario)
    whole = parse(text, request.scenario, request.scale)
    scenario = narrow(whole, arms=request.arms, repeats=request.repeats)
    shim = require_shim() if stalled(scenario) else None
    agent_jar = require_agent(scenario.arms) if scenario.race is None else built_agent()
    require_reader()
    release = find(request.kafka)  # said first: a version that is none has no arms
    if release.zookeeper:
        scenario = on_zookeeper(scenario)
    scenario = on_version(scenario, request.kafka)
    require_arms(scenario.arms, request.kafka)
    image = require(request.kafka) if request.cluster == "docker" else None
    java = find_java()
    return Plan(
        request=request, scenario=scenario, scenario_text=text, java=java,
        kafka=distribution(request.kafka, java, watch.phase), shim=shim,
        agent_jar=agent_jar, out=out, image=image,
        skip=unavailable(scenario, request.cluster, out),
    )  # fmt: skip


def require_agent(arms: Sequence[str]) -> Path | None:
    """Return the agent's jar if one of the arms needs it; raises InputError where there is none."""
    return built_agent() if any(arms_of_runs.has_agent(arm) for arm in arms) else None


def built_agent() -> Path:
    """Return the agent's jar; raises InputError where there is none."""
    return built(AGENT_JAR)


def carries_agent(scenario: Scenario, arm: str) -> bool:
    """Whether the brokers of an arm carry the agent: where threads are held, those of stock do."""
    return arms_of_runs.has_agent(arm) or scenario.race is not None


def check_out(out: Path) -> Path:
    """Return the resolved output folder: empty or not there, and somewhere writable."""
    out = out.absolute()
    try:
        if out.is_dir() and next(out.iterdir(), None) is not None:
            raise InputError(f"--out {out}: not empty, expected a new or an empty folder")
        if out.exists() and not out.is_dir():
            raise InputError(f"--out {out}: a file, expected a new or an empty folder")
    except OSError as error:
        raise InputError(f"--out {out}: {error.strerror}") from error
    there = next(folder for folder in (out, *out.parents) if folder.exists())
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        raise InputError(f"--out {out}: {there} is not a writable folder")
    return out


def make_out(out: Path) -> None:
    """Make the output folder; the first thing a run makes. Raises InputError."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        probe = out / ".probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InputError(f"--out {out}: not writable: {error.strerror}") from error


def _default_out(name: str) -> Path:
    return Path("insync-runs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
