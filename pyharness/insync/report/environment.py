"""Where a run was made, and the versions of everything that had a part in it."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version

from insync import __version__
from insync.events.run_info import RunInfo

_HOST = {
    "system": "system",
    "cores": "cores",
    "memory_mib": "memory, MiB",
    "java": "Java",
    "python": "Python",
    "librdkafka": "clients: librdkafka",
    "insync": "insync",
    "agent": "agent, SHA-256",
    "image": "image",
}
"""What a run says of its host and what a reader sees before it; others stand under their own."""

Facts = list[tuple[str, str]]


def environment_of(runs: Iterable[RunInfo]) -> Facts:
    """Return names and values; a value that differs between runs is written as often."""
    found: dict[str, list[str]] = {}
    for run in runs:
        for name, value in (("Kafka", run.kafka), ("cluster", run.cluster), *_host(run)):
            values = found.setdefault(name, [])
            if value not in values:
                values.append(value)
    return [*((name, ", ".join(values)) for name, values in found.items()), *_analysis()]


def _host(run: RunInfo) -> Facts:
    return [(_HOST.get(key, key), str(value)) for key, value in run.host.items()]


def _analysis() -> Facts:
    """Return by what this page was made, now."""
    return [("judged with insync", __version__), ("judged with Spark", version("pyspark"))]
