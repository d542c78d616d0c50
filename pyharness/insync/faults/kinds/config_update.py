"""`config-update`: configs of one broker are updated while it runs, and deleted again at the end.

Evidence: of how many configs the broker itself then says that it has the new value, and how long
after the answer to the update.
"""

import time
from typing import Annotated, Literal

from pydantic import Field

from insync.faults.base import Fault, await_true
from insync.faults.kind import FaultKind, KindWords, Tags, all_done
from insync.faults.spec import Lasting

IN_FORCE_WITHIN_S = 5.0


class ConfigUpdate(Lasting):
    """Dynamic configs of the broker get other values."""

    kind: Literal["config-update"]
    settings: Annotated[dict[str, str], Field(min_length=1)]


class ConfigUpdateFault(Fault[ConfigUpdate]):
    acted = True

    def inject(self) -> None:
        self.window.begin()
        self.cluster.update_configs(self.spec.broker, self.spec.settings)
        answered = time.monotonic()
        if await_true(lambda: self._count() == len(self.spec.settings), IN_FORCE_WITHIN_S):
            self.figures["in_force_ms"] = round(1_000 * (time.monotonic() - answered), 1)
        self.figures |= {"updated": len(self.spec.settings), "in_force": self._count()}

    def end(self) -> None:
        self.cluster.update_configs(self.spec.broker, dict.fromkeys(self.spec.settings))
        self.window.end()

    def _count(self) -> int:
        return self.cluster.configs_in_force(self.spec.broker, self.spec.settings)


KIND = FaultKind(
    spec=ConfigUpdate,
    words=KindWords(
        does="configs of the broker are updated while it runs",
        mechanism="IncrementalAlterConfigs, as by `kafka-configs --alter`; deleted at the end",
        evidence="of how many configs the broker says that it has the new value, and how soon",
        notes="`settings` is a table of Kafka's dynamic broker configs, with values as text. Stock"
        " Kafka keeps configs that it does not know, and does nothing with them.",
    ),
    inject=ConfigUpdateFault,
    missing=all_done("updated", "in_force"),
    tags=Tags(harmless=True),
)
