"""Read the event file of an agent: JSON lines, of which the last one may be incomplete."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WOVEN = "agent_installed"
ERROR = "error"


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a node's agent, in order; nothing if the file does not exist.

    An incomplete line of a killed node is left out.
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
