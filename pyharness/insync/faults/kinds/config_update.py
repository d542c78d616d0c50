"""`config-update`: configs of one broker are updated while it runs, and deleted again at the end.

Evidence: of how many configs the broker itself then says that it has the new value, and how long
after the answer to the update.
"""

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault, FaultContext, Window, await_true
from insync.faults.cluster import FaultCluster
from insync.faults.kind import FaultKind, Recorded, Tags, Words, always, both, not_all
from insync.faults.spec import Lasting

IN_FORCE_WITHIN_S = 5.0


class ConfigUpdate(Lasting):
    """Dynamic configs of the broker get other values."""

    kind: Literal["config-update"]
    settings: Annotated[dict[str, str], Field(min_length=1)]


class ConfigUpdateFault:
    """A `Fault`: configs of a broker are set, and deleted when it is lifted."""

    def __init__(
        self,
        update: Callable[[Mapping[str, str | None]], None],
        in_force: Callable[[], int],
        settings: Mapping[str, str],
        context: FaultContext,
    ) -> None:
        """Plan it.

        Args:
            update: sets configs of the broker, or deletes those that are None.
            in_force: how many of the settings the broker says that it has.
            settings: the configs to set.
            context: where the fault belongs.

        """
        self._update = update
        self._count = in_force
        self._settings = settings
        self._context = context
        self._window = Window()
        self._in_force = 0
        self._in_force_ms: float | None = None

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Update the configs and wait until the broker has them; raises InsyncError if refused."""
        self._window.begin()
        self._update(self._settings)
        answered = time.monotonic()
        if await_true(lambda: self._count() == len(self._settings), IN_FORCE_WITHIN_S):
            self._in_force_ms = 1_000 * (time.monotonic() - answered)
        self._in_force = self._count()

    def lift(self) -> None:
        """Delete the configs; the broker has its earlier values again."""
        if self._window.is_open:
            self._update(dict.fromkeys(self._settings))
            self._window.end()

    def evidence(self) -> FaultLine:
        """Return how many configs were updated, how many were in force, how soon, how long."""
        figures = {"updated": float(len(self._settings)), "in_force": float(self._in_force)}
        if self._in_force_ms is not None:
            figures["in_force_ms"] = round(self._in_force_ms, 1)
        return self._window.line(self._context, self._window.length_ms, figures)


def _inject(spec: ConfigUpdate, context: FaultContext, cluster: FaultCluster) -> Fault:
    return ConfigUpdateFault(
        partial(cluster.update_configs, spec.broker),
        partial(cluster.configs_in_force, spec.broker, spec.settings),
        spec.settings,
        context,
    )


def _missing(_: PlannedFault, seen: Recorded) -> str | None:
    return not_all(seen, "updated", "in_force")


KIND = FaultKind(
    spec=ConfigUpdate,
    words=Words(
        does="configs of the broker are updated while it runs",
        mechanism="IncrementalAlterConfigs, as by `kafka-configs --alter`; deleted at the end",
        evidence="of how many configs the broker says that it has the new value, and how soon",
        notes="`settings` is a table of Kafka's dynamic broker configs, with values as text. Stock"
        " Kafka keeps configs that it does not know, and does nothing with them.",
    ),
    probes=both(always),
    inject=_inject,
    missing=_missing,
    tags=Tags(harmless=True),
)
