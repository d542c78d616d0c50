"""Read the event file of an agent: JSON lines, of which the last one may be incomplete.

An agent renames a file that is full: FILE becomes FILE.1, and FILE.1 becomes FILE.2.
"""

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

WOVEN = "agent_installed"
ERROR = "error"


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a node's agent, in order; nothing if the file does not exist.

    An incomplete line of a killed node is left out.
    """
    return objects(_lines(path))


def objects(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of lines, without those that are cut off or anything else."""
    for line in lines:
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def join(path: Path) -> None:
    """Put the renamed parts of a node's file before the file; the agent must have ended.

    A reader sees the file as it was or whole. Raises OSError.
    """
    parts = [_part(path, number) for number in reversed(_numbers(path))]
    if not parts:
        return
    whole = path.with_name(f"{path.name}.whole")
    with whole.open("wb") as into:
        for part in [*parts, path]:
            if part.is_file():
                with part.open("rb") as lines:
                    shutil.copyfileobj(lines, into)
    whole.replace(path)
    for part in parts:
        part.unlink()


def _numbers(path: Path) -> list[int]:
    """Return the numbers of the renamed parts of a file, the newest one first."""
    ends = (part.name.removeprefix(f"{path.name}.") for part in path.parent.glob(f"{path.name}.*"))
    return sorted(int(end) for end in ends if end.isdecimal())


def _part(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of all parts, the oldest part first.

    The agent may rename parts meanwhile, always to the next higher number. So the newest one is
    opened first, and one that is met again is left out.
    """
    with ExitStack() as stack:
        opened: dict[int, IO[str]] = {}
        last = max(_numbers(path), default=0) + 1
        for part in (path, *(_part(path, number) for number in range(1, last + 1))):
            try:
                file: IO[str] = stack.enter_context(part.open(encoding="utf-8"))
            except FileNotFoundError:
                continue
            opened.setdefault(os.fstat(file.fileno()).st_ino, file)
        for each in reversed(opened.values()):
            yield from each.read().splitlines()
