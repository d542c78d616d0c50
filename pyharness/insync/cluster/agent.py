"""How a broker is told to run with this project's agent."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from insync.errors import InputError


@dataclass(frozen=True)
class AgentSpec:
    """The agent's jar, where it leaves its events and its connection file, one of each per broker.

    `on_unsupported` says what a broker does that the agent does not fit: refuse to start
    ("fail") or run without it ("stock"). With `holds` tests may stop threads over the bridge.
    """

    jar: Path
    events_dir: Path
    bridge_dir: Path
    on_unsupported: Literal["fail", "stock"] = "fail"
    holds: bool = False

    def flag(self, broker: int) -> str:
        """Return the JVM flag for one broker; InputError for a path that the flag cannot carry."""
        events = self.events_dir.absolute() / f"broker-{broker}.jsonl"
        bridge = self.bridge_dir.absolute() / f"bridge-{broker}.json"
        for path in (events, bridge):
            if "," in str(path):
                raise InputError(f"agent: the path {path} has a comma, expected one without")
        arguments = f"events={events},bridge={bridge},on-unsupported={self.on_unsupported}"
        if self.holds:
            arguments += ",holds=on"
        return f"-javaagent:{self.jar.absolute()}={arguments}"
