"""What the controller's log says about ISRs, sent on while the cluster runs.

The log is read whole every few seconds, as it is at the end for isr.jsonl: the same lines, in
the same order. Only those that are new are sent.
"""

from collections.abc import Collection
from typing import Final

from insync.background import Background
from insync.brokers.cluster.quorum.metadata_log import isr_events
from insync.errors import InsyncError
from insync.events.writer import Publish, encode
from insync.run.stage import Stage

EVERY_SECONDS: Final = 5.0


class IsrTail(Background):
    """Reads until the block is left, and then once more; `topics` are those that are told of.

    A reading that fails costs a delay only; `failure` is why the last one did.
    """

    def __init__(self, stage: Stage, topics: Collection[str], publish: Publish) -> None:
        super().__init__("insync-isr-tail", EVERY_SECONDS)
        self._stage = stage
        self._topics = {None, *topics}
        self._publish = publish
        self._told = 0
        self.failure: str | None = None

    def _step(self) -> None:
        stage = self._stage
        try:
            read = isr_events(stage.cluster, stage.kafka, stage.arm)
            lines = [line for line in read if line.get("topic") in self._topics]
        except (InsyncError, OSError) as error:
            self.failure = str(error)
            return
        self.failure = None
        for line in lines[self._told :]:
            self._publish(encode(line).rstrip(b"\n"))
        self._told = len(lines)

    def __exit__(self, kind: object, *_: object) -> None:
        super().__exit__(kind)
        self._step()
