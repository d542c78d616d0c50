"""Check everything a run requires before it makes its first file.

All problems with the request are found here and raised as InputErrors.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from insync import arms as arms_of_runs
from insync.artifacts import AGENT_JAR, LAB_JAR, built
from insync.brokers.cluster.log_reader import require_reader
from insync.brokers.images.built import require
from insync.brokers.images.image import Image
from insync.brokers.kafka.builds import find
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java, find_java
from insync.brokers.kafka.resolve import distribution
from insync.brokers.kafka.versions import Release
from insync.errors import InputError
from insync.events.schema import topic_name
from insync.faults.support.shim import require_shim
from insync.nodes import BROKERS
from insync.run.arm_support import require_arms
from insync.run.clients.groups import require_groups
from insync.run.clients.java import require_clients
from insync.run.progress import Progress
from insync.run.request import RunRequest
from insync.run.requirements import (
    require_controller_proxy,
    require_controllers,
    stalled,
    unavailable,
)
from insync.scenario.load import narrow, on_version, on_zookeeper, parse, source
from insync.scenario.model import Scenario


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A run that can begin: the scenario is scaled and has only the requested arms.

    `image` is the image of the containers, None for local processes. `skip` says why the run is
    not possible on this machine; then the run only records the reason. `brokers` are the ids of the
    scenario's brokers; only on an existing cluster they are others, and topics have a prefix.
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
    brokers: tuple[int, ...] = tuple(range(1, BROKERS + 1))
    topic_prefix: str = ""

    @property
    def controller_agent(self) -> bool:
        """Whether the controller is known to have the agent, in arms with it; not on ZooKeeper."""
        started = self.request.existing is None and not self.kafka.release.zookeeper
        return self.scenario.broker.controller_agent and started

    def topic(self, repeat: int) -> str:
        """Return the topic of a repeat."""
        return f"{self.topic_prefix}{topic_name(self.scenario.name, repeat)}"


def prepare(request: RunRequest, progress: Progress) -> Plan:
    """Check the whole request and fetch missing jars; raises InputError.

    Writes nothing except the user's cache of Kafka versions.
    """
    out = None if request.out is None else check_out(request.out)
    plan = resolve(request, out or Path(), progress)
    return plan if out else replace(plan, out=check_out(default_out(plan.scenario.name)))


def resolve(request: RunRequest, out: Path, progress: Progress) -> Plan:
    """Return the plan of a run into `out`, which is not checked; raises InputError."""
    text = source(request.scenario)
    whole = parse(text, request.scenario, request.scale)
    scenario = narrow(
        whole, arms=request.arms, repeats=request.repeats, client=request.client,
        default_timeouts=request.default_timeouts,
    )  # fmt: skip
    shim = require_shim() if stalled(scenario) else None
    agent_jar = require_agent(scenario.arms) if scenario.race is None else built_agent()
    require_reader()
    release = find(request.kafka)  # before the check of the arms: an unknown version has none
    if release.zookeeper:
        scenario = on_zookeeper(scenario)
    scenario = on_version(scenario, release.version)
    _check_protocol(scenario.broker.inter_broker_protocol_version, release)
    require_controller_proxy(scenario, release)
    require_controllers(scenario, release)
    require_arms(scenario.arms, request.kafka)
    require_clients(scenario.workload.client, release)
    require_groups(scenario.workload, release)
    image = _image(release) if request.cluster == "docker" else None
    java = find_java()
    return Plan(
        request=request, scenario=scenario, scenario_text=text, java=java,
        kafka=distribution(request.kafka, java, progress.phase), shim=shim,
        agent_jar=agent_jar, out=out, image=image,
        skip=unavailable(scenario, request.cluster, out),
    )  # fmt: skip


def _image(release: Release) -> Image:
    """Return the image of a release's nodes; raises InputError if there is none."""
    if release.path is not None:
        raise InputError(
            f"--cluster docker: Kafka is {release.path}, expected a version: own builds run as"
            " local processes"
        )
    return require(release)


def _check_protocol(version: str | None, release: Release) -> None:
    """Check that brokers of a release can have a protocol version; raises InputError."""
    if version is not None and not release.zookeeper:
        raise InputError(
            f"broker.inter_broker_protocol_version: {version!r}, expected none: Kafka "
            f"{release.version} has no such choice, only a version on ZooKeeper has"
        )


def require_agent(arms: Sequence[str]) -> Path | None:
    """Return the agent's jar if one of the arms needs it; raises InputError if it is not built."""
    return built_agent() if any(arms_of_runs.has_agent(arm) for arm in arms) else None


def built_agent() -> Path:
    """Return the agent's jar; raises InputError if it or the lab's is not built."""
    built(LAB_JAR)
    return built(AGENT_JAR)


def carries_agent(scenario: Scenario, arm: str) -> bool:
    """Whether an arm's brokers have the agent; in a race even stock has it, for pause points."""
    return arms_of_runs.has_agent(arm) or scenario.race is not None


def check_out(out: Path) -> Path:
    """Return the absolute output folder; raises InputError if it is not empty or not writable."""
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
    """Create the output folder, before the run writes anything else; raises InputError."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        probe = out / ".probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InputError(f"--out {out}: not writable: {error.strerror}") from error


def default_out(name: str) -> Path:
    """Return the output folder of a run that names none."""
    return Path("insync-runs") / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
