"""Define the request for a run, as the command line or another caller makes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from insync.brokers.kafka import versions
from insync.clients import Client
from insync.events.topic import EventTopic
from insync.scenario.model import Scenario

DEFAULT_KAFKA: Final = versions.DEFAULT
ClusterKind = Literal["local", "docker"]
"""What a cluster's nodes run as: processes of this host, or containers."""
AnyCluster = Literal["local", "docker", "existing"]
"""The same, or a cluster that insync did not start."""
DEFAULT_CLUSTER: Final = "local"


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


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRequest:
    """A request for one run.

    `scenario` is a name, a file, or a scenario itself. None for `arms`, `repeats`, `client` or
    `out` means the scenario's or insync's default.
    `default_timeouts` is whether clients keep their library's own timeouts, whatever the scenario
    says. `unknown_methods` is whether the agent may weave methods that no known build has.
    `events` is the topic to which the events are published as well, if any. `existing` is the
    cluster, if insync does not start one; `kafka` says nothing then.
    """

    scenario: str | Scenario
    arms: Sequence[str] | None = None
    kafka: str = DEFAULT_KAFKA
    cluster: AnyCluster = DEFAULT_CLUSTER
    existing: Existing | None = None
    scale: float = 1.0
    repeats: int | None = None
    seed: int = 1
    out: Path | None = None
    keep_data: bool = False
    events: EventTopic | None = None
    client: Client | None = None
    default_timeouts: bool = False
    unknown_methods: bool = False
