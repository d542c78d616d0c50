"""Says what a run or a matrix ran on, and which command repeats a run."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from insync import __version__
from insync.clients import DEFAULT_CLIENT
from insync.events.run_info import RunInfo
from insync.events.schema import SCENARIO


def run_command(run: RunInfo) -> str:
    """Return the command of a run, with every option that decides what happens.

    A scenario from a file is named by its copy in the run's folder.
    """
    client = run.scenario.workload.client
    options = (
        ("--arms", ",".join(run.arms)),
        ("--kafka", run.kafka_path or run.kafka),
        ("--cluster", run.cluster),
        ("--scale", f"{run.scale:g}"),
        ("--repeat", str(run.repeats)),
        ("--seed", str(run.seed)),
        ("--client", None if client == DEFAULT_CLIENT else client),
        ("--default-timeouts", _flag(run.default_timeouts)),
        ("--allow-unknown-methods", _flag(run.unknown_methods)),
    )
    words = (word for name, value in options if value is not None for word in (name, value) if word)
    return shlex.join(["insync", "run", run.scenario_name if run.builtin else SCENARIO, *words])


def where(run: RunInfo) -> str:
    """Say in which folder to run the command."""
    if run.builtin:
        return "The scenario is built into insync."
    return f"Run it in this run's folder: {SCENARIO} there is the scenario that was run."


def _flag(given: bool) -> str | None:
    """Return the value of an option that has none."""
    return "" if given else None


_HOST = {
    "memory_mib": "memory, MiB",
    "kafka_jars": "Kafka's jars, SHA-256",
    "java": "Java",
    "python": "Python",
    "agent": "agent, SHA-256",
}
"""The label of each fact that a run records of its host; other facts go by their own names."""

Facts = list[tuple[str, str]]


def environment_of(runs: Iterable[RunInfo], engine: str) -> Facts:
    """Return names and values; if runs differ in a value, all its values are listed.

    `engine` is what computed the tables.
    """
    found: dict[str, list[str]] = {}
    for run in runs:
        host = ((_HOST.get(key, key), str(value)) for key, value in run.host.items())
        for name, value in (
            ("Kafka", run.kafka), ("clients", _clients(run)), ("cluster", run.cluster), *host
        ):  # fmt: skip
            values = found.setdefault(name, [])
            if value not in values:
                values.append(value)
    made = [("judged with insync", __version__), ("tables computed with", engine)]
    return [*((name, ", ".join(values)) for name, values in found.items()), *made]


def _clients(run: RunInfo) -> str:
    """Return the libraries of producers and consumers, in words."""
    java = f"Kafka's Java client {run.kafka}"
    client = run.scenario.workload.client
    return {"java": java, "both": f"librdkafka and {java}"}.get(client, client)
