"""`move-log-dir`: a broker's replicas of partitions move to another one of its log directories.

The broker copies them while it goes on to use the old ones, and then takes the new ones. The end
waits for that. Evidence: of how many partitions the folder is in the other directory at the end,
and in no third.
"""

import struct
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from insync.errors import InsyncError
from insync.faults.base import Fault, await_true
from insync.faults.kind import FaultKind, KindWords, Tags, all_done, always
from insync.faults.spec import Lasting, OtherTopic, Surroundings, check_partitions
from insync.fields import Partitions, broken

MOVED_WITHIN_S: Final = 15.0


class MoveLogDir(Lasting):
    """The broker's replicas of partitions move to its next log directory."""

    kind: Literal["move-log-dir"]
    partitions: Partitions
    topic: OtherTopic | None = None

    def check_within(self, around: Surroundings) -> None:
        check_partitions(self.partitions, around)
        if around.log_dirs == 1:
            expected = "broker.log_dirs to be more than 1: there is no other directory"
            raise broken(around.key("kind"), self.kind, expected)


class MoveLogDirFault(Fault[MoveLogDir]):
    def plan(self) -> None:
        self._to: dict[str, Path] = {}
        self.figures["asked"] = len(self.context.target)

    def inject(self) -> None:
        dirs = self.cluster.node(self.context.broker).data_dirs
        for name in self.context.target:
            at = next((place for place, each in enumerate(dirs) if (each / name).is_dir()), None)
            if at is None:
                raise InsyncError(f"{self.context.where}: no folder {name} in any log directory")
            self._to[name] = dirs[(at + 1) % len(dirs)]
        self.window.begin()
        self._began = time.monotonic()
        by_dir = {
            str(to): [name for name in self._to if self._to[name] == to] for to in self._to.values()
        }
        self.cluster.move_log_dirs(self.context.broker, request(self.context.topic, by_dir))

    def end(self) -> None:
        await_true(lambda: self._moved() == len(self._to), MOVED_WITHIN_S)
        self.figures["moved"] = self.acted = self._moved()
        self.figures["moved_ms"] = (time.monotonic() - self._began) * 1000
        self.window.end()

    def _moved(self) -> int:
        dirs = self.cluster.node(self.context.broker).data_dirs
        return sum(
            [each for each in dirs if (each / name).is_dir()] == [to]
            for name, to in self._to.items()
        )


def request(topic: str, by_dir: Mapping[str, Sequence[str]]) -> bytes:
    """Return the body that asks for these partitions, by their folders' names, in directories."""
    body = struct.pack(">i", len(by_dir))
    for path, names in by_dir.items():
        numbers = [int(name.rpartition("-")[2]) for name in names]
        body += _text(path) + struct.pack(">i", 1) + _text(topic)
        body += struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)
    return body


def _text(text: str) -> bytes:
    return struct.pack(">h", len(text.encode())) + text.encode()


KIND = FaultKind(
    spec=MoveLogDir,
    words=KindWords(
        does="the broker's replicas of partitions move to another one of its log directories",
        mechanism="AlterReplicaLogDirs",
        evidence="how many of them are in the other directory at the end, and when at the latest:"
        " `moved`, `moved_ms`",
        notes="Needs `broker.log_dirs = 2` or more. The end waits for the move, at most"
        f" {MOVED_WITHIN_S:g} s. Local clusters only: a container keeps its files to itself.",
    ),
    probes={"local": always},
    inject=MoveLogDirFault,
    missing=all_done("asked", "moved"),
    tags=Tags(harmless=True, only_planned=True),
)
