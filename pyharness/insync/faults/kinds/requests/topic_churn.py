"""`topic-churn`: topics that a broker leads are created and deleted, one after the other.

Every broker then makes and removes partitions, and the controller's log grows. A request that
fails, because another fault stops a broker, is counted and not repeated; what it leaves is deleted
at the end. Evidence: how many topics were created, and how many deleted.
"""

from collections.abc import Callable
from threading import Event, Thread
from typing import Annotated, Final, Literal

from pydantic import Field

from insync.errors import InsyncError
from insync.faults.base import Fault
from insync.faults.kind import FaultKind, KindWords, Tags, counted
from insync.faults.spec import Lasting

PAUSE_S: Final = 0.1
ENDS_WITHIN_S: Final = 30.0


class TopicChurn(Lasting):
    """Topics with `count` partitions that the broker leads are created and deleted."""

    kind: Literal["topic-churn"]
    count: Annotated[int, Field(ge=1, le=32)] = 3


class TopicChurnFault(Fault[TopicChurn]):
    def plan(self) -> None:
        self._stop = Event()
        self._thread = Thread(target=self._run, name="topic-churn", daemon=True)
        self._left: set[str] = set()
        self.figures = {"created": 0.0, "deleted": 0.0, "failed": 0.0}

    def inject(self) -> None:
        self.window.begin()
        self._thread.start()

    def end(self) -> None:
        self._stop.set()
        self._thread.join(ENDS_WITHIN_S)
        self.window.end()
        if self._thread.is_alive():
            raise InsyncError(f"{self.context.topic}: a request for a topic did not end")
        for topic in sorted(self._left):
            self._try("deleted", self.cluster.delete_topic, topic)
        self.acted = self.figures["created"] and self.figures["deleted"]

    def _create(self, topic: str) -> None:
        self.cluster.begin_topic(topic, self.spec.broker, self.spec.count)

    def _run(self) -> None:
        number = 0
        while not self._stop.is_set():
            number += 1
            topic = f"{self.context.topic}-churn-{self.context.broker}-{number}"
            self._left.add(topic)  # a creation that fails may succeed later
            self._try("created", self._create, topic)
            self._stop.wait(PAUSE_S)
            self._try("deleted", self.cluster.delete_topic, topic)

    def _try(self, what: str, request: Callable[[str], None], topic: str) -> None:
        try:
            request(topic)
        except InsyncError:
            self.figures["failed"] += 1
            return
        self.figures[what] += 1
        if what == "deleted":
            self._left.discard(topic)


KIND = FaultKind(
    spec=TopicChurn,
    words=KindWords(
        does="topics that the broker leads are created and deleted, one after the other",
        mechanism="CreateTopics and DeleteTopics, each with a pause of"
        f" {1000 * PAUSE_S:g} ms before the deletion",
        evidence="how many topics were created, and how many deleted",
        notes="`count` is how many partitions each of them has. Requests that fail are counted.",
    ),
    inject=TopicChurnFault,
    missing=counted("created", "deleted"),
    tags=Tags(once=True, harmless=True),
)
