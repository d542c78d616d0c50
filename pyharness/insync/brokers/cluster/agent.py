"""How a node is told to run with this project's agent."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from insync.errors import InputError


@dataclass(frozen=True)
class AgentSpec:
    """The agent's jar, where it leaves its events and its connection file, one of each per node.

    `on_unsupported` says what a node does that the agent does not fit: refuse to start
    ("fail") or run without it ("stock"). `on_controller` says whether a KRaft controller carries
    it as well, without which it does not honour a leader that steps down; it opens no bridge.
    With `holds` tests may stop threads over the bridge.
    """

    jar: Path
    events_dir: Path
    bridge_dir: Path
    on_unsupported: Literal["fail", "stock"] = "fail"
    on_controller: bool = True
    holds: bool = False

    def events_file(self, node: int) -> Path:
        """Return where a node's agent leaves its events."""
        return self.events_dir.absolute() / f"broker-{node}.jsonl"

    def flag(self, node: int) -> str:
        """Return the JVM flag for one node; InputError for a path that the flag cannot carry."""
        events = self.events_file(node)
        bridge = self.bridge_dir.absolute() / f"bridge-{node}.json"
        for path in (events, bridge):
            if "," in str(path):
                raise InputError(f"agent: the path {path} has a comma, expected one without")
        arguments = f"events={events},bridge={bridge},on-unsupported={self.on_unsupported}"
        if self.holds:
            arguments += ",holds=on"
        return f"-javaagent:{self.jar.absolute()}={arguments}"
