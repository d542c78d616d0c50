"""Reads the events that an agent leaves in its node: JSON lines, the last one perhaps torn."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WOVEN = "agent_installed"
ERROR = "error"


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a node's agent, in its order; none where it left no file.

    A line that a killed node did not write to its end is left out.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event
