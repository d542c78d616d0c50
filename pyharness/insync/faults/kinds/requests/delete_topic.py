"""`delete-topic`: a topic is deleted, and created again at the end.

It is the one of the scenario's `[beside]`, to which a producer writes all the time, or one of
Kafka's own, which Kafka creates again when a client needs it. The workload's topic is not deleted:
every record of it must stay.

Evidence: the deletion was answered, and the broker then does not know the topic any more. Whether
it can be created again is a figure, and no evidence: a broker may have ended meanwhile.
"""

from contextlib import suppress
from typing import Final, Literal

from insync.errors import InsyncError
from insync.faults.base import Fault, await_true
from insync.faults.kind import FaultKind, KindWords, Tags, counted
from insync.faults.spec import BESIDE, Lasting, OtherTopic

GONE_WITHIN_S: Final = 5.0
BACK_WITHIN_S: Final = 15.0


class DeleteTopic(Lasting):
    """A topic is deleted; the broker is the one that then must not know it any more."""

    kind: Literal["delete-topic"]
    topic: OtherTopic = BESIDE


class DeleteTopicFault(Fault[DeleteTopic]):
    def inject(self) -> None:
        self.window.begin()
        self.cluster.delete_topic(self.context.topic)
        self.figures["deleted"] = 1
        self.figures["gone"] = self.acted = await_true(lambda: not self._known(), GONE_WITHIN_S)

    def end(self) -> None:
        self.window.end()
        with suppress(InsyncError):
            if self.spec.topic == BESIDE:
                self.cluster.create_topic(
                    self.context.topic, self.context.leaders, self.context.configs
                )
            self.figures["created"] = await_true(self._known, BACK_WITHIN_S)

    def _known(self) -> bool:
        return bool(self.cluster.leaders_seen_by(self.spec.broker, self.context.topic))


KIND = FaultKind(
    spec=DeleteTopic,
    words=KindWords(
        does="a topic is deleted, and created again at the end",
        mechanism="DeleteTopics; CreateTopics with the same replicas and configs",
        evidence="the broker does not know the topic any more, `gone`; `created` says whether it"
        " knows it again",
        notes='`topic` is `"beside"`, the default, or one of Kafka\'s own, which Kafka creates'
        " again.",
    ),
    inject=DeleteTopicFault,
    missing=counted("gone"),
    tags=Tags(once=True, harmless=True, only_planned=True, outlasts_process=True),
)
