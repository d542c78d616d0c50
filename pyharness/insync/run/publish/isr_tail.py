"""Publish the ISR changes in the controller's log while the cluster runs.

The whole log is read every few seconds, as it is at the end for isr.jsonl, which gives the same
lines in the same order. Only new lines are published.
"""

from collections.abc import Collection
from typing import Final

from insync.background import Background
from insync.brokers.cluster.quorum.metadata_log import isr_events
from insync.errors import InsyncError
from insync.events.writer import Publish, encode
from insync.run.arm_cluster import ArmCluster

EVERY_SECONDS: Final = 5.0


class IsrTail(Background):
    """Reads until the block ends, then one last time; publishes the changes of `topics`.

    A failed read only delays lines; `failure` is the reason if the last read failed.
    """

    def __init__(self, arm_cluster: ArmCluster, topics: Collection[str], publish: Publish) -> None:
        super().__init__("insync-isr-tail", EVERY_SECONDS)
        self._arm_cluster = arm_cluster
        self._topics = {None, *topics}
        self._publish = publish
        self._published = 0
        self.failure: str | None = None

    def _step(self) -> None:
        arm_cluster = self._arm_cluster
        try:
            read = isr_events(arm_cluster.cluster, arm_cluster.kafka, arm_cluster.arm)
            lines = [line for line in read if line.get("topic") in self._topics]
        except (InsyncError, OSError) as error:
            self.failure = str(error)
            return
        self.failure = None
        for line in lines[self._published :]:
            self._publish(encode(line).rstrip(b"\n"))
        self._published = len(lines)

    def __exit__(self, kind: object, *_: object) -> None:
        super().__exit__(kind)
        self._step()
