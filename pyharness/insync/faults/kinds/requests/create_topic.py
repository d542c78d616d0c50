"""`create-topic`: a topic with many partitions is created, and deleted at the end.

It begins when the broker has made the folders of some of them and lacks the others, so that what
is planned for the same time, such as a kill, comes in the middle of the creation. Evidence: how
many folders there were then.
"""

from contextlib import suppress
from threading import Thread
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from insync.errors import InsyncError
from insync.events.run_info import PlannedFault
from insync.faults.base import Fault, await_true
from insync.faults.kind import FaultKind, KindWords, RecordedFigures, Tags, always, figure
from insync.faults.spec import Lasting
from insync.fields import broken

FOLDERS_WITHIN_S: Final = 20.0


class CreateTopic(Lasting):
    """A topic of `count` partitions is created; it begins when the broker has `folders` of them."""

    kind: Literal["create-topic"]
    count: Annotated[int, Field(ge=1, le=1_000)] = 300
    folders: Annotated[int, Field(ge=1, le=1_000)] = 20

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.folders > self.count:
            raise broken("folders", self.folders, f"at most count, {self.count}")
        return self


class CreateTopicFault(Fault[CreateTopic]):
    def plan(self) -> None:
        """Plan it; the request is asked by a thread of its own."""
        self._topic = f"{self.context.topic}-new-{self.spec.broker}-{self.spec.at_ms}"
        self._asking = Thread(target=self._ask, name=self._topic, daemon=True)

    def inject(self) -> None:
        self._asking.start()
        self.acted = await_true(lambda: self._count() >= self.spec.folders, FOLDERS_WITHIN_S)
        self.figures["asked"] = self.spec.count
        self.window.begin()

    def end(self) -> None:
        self.window.end()
        self._asking.join()
        with suppress(InsyncError):  # a topic that is not there, or no broker that answers
            self.cluster.delete_topic(self._topic)

    def _ask(self) -> None:
        with suppress(InsyncError):  # the broker that is asked may end meanwhile
            self.cluster.begin_topic(self._topic, self.spec.broker, self.spec.count)

    def _count(self) -> int:
        node = self.cluster.node(self.spec.broker)
        folders = sum(1 for dir_ in node.data_dirs for _ in dir_.glob(f"{self._topic}-*"))
        self.figures["folders"] = folders
        return folders


def _missing(_: PlannedFault, seen: RecordedFigures) -> str | None:
    folders = seen.figures.get("folders", 0.0)
    if 0 < folders < seen.figures.get("asked", 0.0):
        return None
    return figure("folders", folders, "some of those asked for, and not all")


KIND = FaultKind(
    spec=CreateTopic,
    words=KindWords(
        does="a topic with many partitions is created, and deleted at the end",
        mechanism="CreateTopics",
        evidence="of how many of its partitions, and not of all, the broker had a folder when it"
        " began",
        notes="It begins when the broker has `folders` of the `count` partitions: a `kill` of the"
        " same time that follows it in the file comes in the middle of the creation. Local clusters"
        " only.",
    ),
    probes={"local": always},
    inject=CreateTopicFault,
    missing=_missing,
    tags=Tags(once=True, harmless=True, only_planned=True, outlasts_process=True),
)
