"""Lists the host of a run and the versions of everything that it used."""

from __future__ import annotations

from collections.abc import Iterable

from insync import __version__
from insync.events.run_info import RunInfo

_HOST = {
    "system": "system",
    "cores": "cores",
    "memory_mib": "memory, MiB",
    "kafka_jars": "Kafka's jars, SHA-256",
    "java": "Java",
    "python": "Python",
    "librdkafka": "librdkafka",
    "insync": "insync",
    "agent": "agent, SHA-256",
    "image": "image",
}
"""The label of each fact that a run records of its host; other facts go by their own names."""

Facts = list[tuple[str, str]]


def environment_of(runs: Iterable[RunInfo], engine: str) -> Facts:
    """Return names and values; if runs differ in a value, all its values are listed.

    `engine` is what computed the tables.
    """
    found: dict[str, list[str]] = {}
    for run in runs:
        for name, value in (
            ("Kafka", run.kafka), ("clients", _clients(run)), ("cluster", run.cluster), *_host(run)
        ):  # fmt: skip
            values = found.setdefault(name, [])
            if value not in values:
                values.append(value)
    return [*((name, ", ".join(values)) for name, values in found.items()), *_analysis(engine)]


def _clients(run: RunInfo) -> str:
    """Return the libraries of producers and consumers, in words."""
    java = f"Kafka's Java client {run.kafka}"
    client = run.scenario.workload.client
    return {"java": java, "both": f"librdkafka and {java}"}.get(client, client)


def _host(run: RunInfo) -> Facts:
    return [(_HOST.get(key, key), str(value)) for key, value in run.host.items()]


def _analysis(engine: str) -> Facts:
    """Return the versions that made this page."""
    return [("judged with insync", __version__), ("tables computed with", engine)]
