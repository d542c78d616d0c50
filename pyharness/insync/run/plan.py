"""Check everything a run requires before it makes its first file.

All problems with the request are found here and raised as InputErrors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from insync import arms as arms_of_runs
from insync.artifacts import AGENT_JAR, LAB_JAR, LOGS_JAR, built
from insync.brokers.images.image import Image, require
from insync.brokers.kafka.builds import find
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java, find_java
from insync.brokers.kafka.resolve import distribution
from insync.brokers.kafka.versions import Release
from insync.errors import InputError
from insync.faults.support.shim import require_shim
from insync.progress import Progress
from insync.run.cell import CellSpec
from insync.run.request import EventTopic, RunRequest, check_out, default_out
from insync.run.requirements import require_version, stalled, unavailable
from insync.run.version_support import require_arms
from insync.scenario.load import (
    builtin_names,
    keys_of,
    narrow,
    on_version,
    on_zookeeper,
    parse,
    source,
)
from insync.scenario.model import Scenario


@dataclass(frozen=True, kw_only=True, slots=True)
class Tools:
    """What this machine has for cells; `image` is that of their containers, if they are such."""

    java: Java
    kafka: Distribution
    shim: Path | None = None
    agent_jar: Path | None = None
    image: Image | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A run that can begin: a cell for each of its arms.

    `skip` says why the run is not possible on this machine; then the run only records the reason.
    `events` is the topic to which the agents send their events as well, if any.
    """

    cells: Sequence[CellSpec]
    tools: Tools
    skip: str | None = None
    events: EventTopic | None = None

    @property
    def scenario(self) -> Scenario:
        return self.cells[0].scenario

    @property
    def out(self) -> Path:
        return self.cells[0].out


def prepare(request: RunRequest, progress: Progress) -> Plan:
    """Check the whole request and fetch missing jars; raises InputError.

    Writes nothing except the user's cache of Kafka versions.
    """
    cells = resolve_cells(request, None if request.out is None else check_out(request.out))
    first = cells[0]
    return Plan(
        cells=cells, tools=find_tools(cells, progress), events=request.events,
        skip=unavailable(first.scenario, first.cluster, first.out),
    )  # fmt: skip


def resolve_cells(request: RunRequest, out: Path | None) -> list[CellSpec]:
    """Return the cells of a run into `out`, one per arm; raises InputError."""
    text, scenario = scenario_of(request)
    release = find(request.kafka)  # before the check of the arms: an unknown version has none
    if release.zookeeper:
        scenario = on_zookeeper(scenario)
    scenario = on_version(scenario, release.version)
    require_arms(scenario.arms, request.kafka)
    require_version(scenario, release)
    on_controller = scenario.broker.controller_agent and not release.zookeeper
    return cells_of(request, scenario, text, out, controller_agent=on_controller)


def scenario_of(request: RunRequest) -> tuple[str, Scenario]:
    """Return the file's text and the scenario of a request, scaled, with the arms to run."""
    asked = request.scenario
    if isinstance(asked, Scenario):
        text, whole = tomli_w.dumps(keys_of(asked)), asked
    else:
        text = source(asked)
        whole = parse(text, asked, request.scale)
    return text, narrow(
        whole, arms=request.arms, repeats=request.repeats, client=request.client,
        default_timeouts=request.default_timeouts,
    )  # fmt: skip


def cells_of(
    request: RunRequest, scenario: Scenario, text: str, out: Path | None, **more: Any
) -> list[CellSpec]:
    out = out or check_out(default_out(scenario.name))
    return [
        CellSpec(
            scenario=scenario, text=text, builtin=request.scenario in builtin_names(), arm=arm,
            kafka=request.kafka, cluster=request.cluster, existing=request.existing,
            scale=request.scale, seed=request.seed, default_timeouts=request.default_timeouts,
            unknown_methods=request.unknown_methods, keep_data=request.keep_data, out=out, **more,
        )
        for arm in scenario.arms
    ]  # fmt: skip


def find_tools(cells: Sequence[CellSpec], progress: Progress) -> Tools:
    """Find what cells of one build need, and fetch missing jars; raises InputError."""
    built(LOGS_JAR)
    java, kafka = find_java(), cells[0].kafka
    return Tools(
        java=java,
        shim=require_shim() if stalled(*(cell.scenario for cell in cells)) else None,
        agent_jar=built_agent() if any(cell.carries_agent for cell in cells) else None,
        image=_image(find(kafka)) if cells[0].cluster == "docker" else None,
        kafka=distribution(kafka, java, progress.phase),
    )


def _image(release: Release) -> Image:
    """Return the image of a release's nodes; raises InputError if there is none."""
    if release.path is not None:
        raise InputError(
            f"--cluster docker: Kafka is {release.path}, expected a version: own builds run as"
            " local processes"
        )
    return require(release)


def require_agent(arms: Sequence[str]) -> Path | None:
    """Return the agent's jar if one of the arms needs it; raises InputError if it is not built."""
    return built_agent() if any(arms_of_runs.has_agent(arm) for arm in arms) else None


def built_agent() -> Path:
    """Return the agent's jar; raises InputError if it or the lab's is not built."""
    built(LAB_JAR)
    return built(AGENT_JAR)
