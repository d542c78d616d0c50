"""Define the request for a run, as the command line or another caller makes it.

A field of a request that is annotated with words is an option of its command (`cli.options`).
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from insync.brokers.kafka import versions
from insync.brokers.kafka.builds import exact
from insync.clients import Client
from insync.errors import InputError
from insync.scenario.model import Scenario

DEFAULT_KAFKA: Final = versions.DEFAULT
ClusterKind = Literal["local", "docker"]
"""What a cluster's nodes run as: processes of this host, or containers."""
AnyCluster = Literal["local", "docker", "existing"]
"""The same, or a cluster that insync did not start."""
DEFAULT_CLUSTER: Final = "local"


def names(listed: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in listed.split(","))


def exact_all(listed: str) -> tuple[str, ...]:
    """Return the releases or builds of a comma-separated list, each without doubt."""
    return tuple(map(exact, names(listed)))


KAFKA_HELP: Final = (
    "Kafka release by its number (4.0: its newest patch release), or an own build: a folder of"
    " jars, an unpacked Kafka, or its .tgz, named by a path with a slash. Tested releases:"
    f" {', '.join(versions.known())}."
)
Kafka = Annotated[str, exact, KAFKA_HELP]
Names = Annotated[Sequence[str] | None, names]
UnknownMethods = Annotated[
    bool,
    "--allow-unknown-methods",
    "Let the agent weave methods that differ from every build it knows.",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Existing:
    """A cluster that insync did not start.

    `bridges` is a folder with the connection files of its brokers' agents, `controls` one with the
    control files of brokers that run under the stall shim. `allow_faults` is whether faults may be
    injected into it.
    """

    bootstrap: str
    bridges: Path | None = None
    controls: Path | None = None
    allow_faults: bool = False


@dataclass(frozen=True, slots=True)
class EventTopic:
    """A topic to which agents send their events; without `bootstrap` on the arm's own cluster."""

    name: str
    bootstrap: str | None = None

    def settings(self, origin: str) -> dict[str, str]:
        """Return the settings of nodes whose agents send their events under a name."""
        own = {"insync.events.topic": self.name, "insync.events.origin": origin}
        return own if self.bootstrap is None else {**own, "insync.events.bootstrap": self.bootstrap}


@dataclass(frozen=True, kw_only=True, slots=True)
class OfRuns:
    """What every run of a request has."""

    seed: Annotated[int, "Seed for record bytes, bursts and jitter."] = 1
    client: Annotated[
        Client | None,
        "Producers and consumers: librdkafka, Kafka's own Java client, or half of each. Default:"
        " the scenario's.",
    ] = None
    default_timeouts: Annotated[
        bool, "Clients keep the timeouts of their library, whatever the scenario says."
    ] = False
    unknown_methods: UnknownMethods = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRequest(OfRuns):
    """A request for one run; None means the scenario's or insync's default.

    `events` is the topic to which the agents send their events as well, if any. `existing` is the
    cluster, if insync does not start one; `kafka` says nothing then.
    """

    scenario: Annotated[str | Scenario, "Name of a built-in scenario, or a TOML file."]
    arms: Annotated[Names, "Comma-separated arms. Default: the scenario's."] = None
    kafka: Kafka = DEFAULT_KAFKA
    cluster: Annotated[
        AnyCluster,
        "Run nodes as local processes or as Docker containers, or use an existing cluster.",
    ] = DEFAULT_CLUSTER
    scale: Annotated[float, "Factor for every time of the scenario."] = 1.0
    repeats: Annotated[int | None, "--repeat", "Repeats per arm. Default: the scenario's."] = None
    out: Annotated[
        Path | None, "New or empty output folder. Default: ./insync-runs/<scenario>-<time>."
    ] = None
    keep_data: Annotated[bool, "Keep the brokers' data even if all is as expected."] = False
    existing: Existing | None = None
    events: EventTopic | None = None


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
