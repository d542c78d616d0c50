"""Build the JVM flag that makes a node run with this project's agent."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from insync.artifacts import LAB_JAR
from insync.errors import InputError

_EVENTS_FILES: Final = 1_000
"""The most event files of a node that its agent keeps; each has 100 MiB."""


@dataclass(frozen=True)
class AgentSpec:
    """The agent's jar and the folders for its events and connection files, one file per node.

    `on_unsupported` says what happens on a node that the agent does not support: it refuses to
    start ("fail") or runs without the agent ("stock"). `on_controller` says whether a KRaft
    controller has the agent too; without it the controller does not honour a leader that steps
    down. A controller opens no bridge. `holds` enables pause points, at which tests stop threads
    over the bridge. `nodes` are the ids of the nodes that start with the agent, None for all.
    `unknown_methods` is whether methods may be woven that no known build has. `cache` is the folder
    in which the agents of nodes on this machine keep their woven classes, None for no cache. `lab`
    is the jar that the agent loads for events, bridge, pause points and cache.
    """

    jar: Path
    events_dir: Path
    bridge_dir: Path
    on_unsupported: Literal["fail", "stock"] = "fail"
    on_controller: bool = True
    holds: bool = False
    nodes: Collection[int] | None = None
    unknown_methods: bool = False
    cache: Path | None = None
    lab: Path = LAB_JAR

    def events_file(self, node: int) -> Path:
        """Return the file to which a node's agent writes its events."""
        return self.events_dir.absolute() / f"broker-{node}.jsonl"

    def flag(self, node: int) -> str:
        """Return the JVM flag for one node; raises InputError if a path contains a comma."""
        events = self.events_file(node)
        bridge = self.bridge_dir.absolute() / f"bridge-{node}.json"
        lab = self.lab.absolute()
        for path in (lab, events, bridge):
            if "," in str(path):
                raise InputError(f"agent: the path {path} has a comma, expected one without")
        # A run keeps every event.
        arguments = f"lab={lab},events={events},events-files={_EVENTS_FILES},bridge={bridge}"
        arguments += f",on-unsupported={self.on_unsupported}"
        if self.holds:
            arguments += ",pause-points=on"
        if self.unknown_methods:
            arguments += ",unknown-methods=allow"
        # An option cannot hold a comma, and a node starts without the cache, too.
        if self.cache is not None and "," not in str(self.cache.absolute()):
            arguments += f",cache={self.cache.absolute()}"
        return f"-javaagent:{self.jar.absolute()}={arguments}"
