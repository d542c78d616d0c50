"""`client-freeze`: the process of the Java clients is stopped while a transaction is open.

The broker is the one that coordinates it. The process is stopped, the coordinator is asked for its
open transactions, and if it has none of this repeat the process goes on for a moment. What it had
sent before could still end the transaction, so the coordinator is asked again soon.

Evidence: as for `freeze`, how many transactions were open when it was stopped, and how many of
these the coordinator had ended by itself when the process went on.
"""

import time
from typing import Final, Literal

from insync.errors import InsyncError
from insync.faults.kind import (
    FaultKind,
    KindWords,
    Tags,
    all_done,
    counted,
    every_rule,
)
from insync.faults.kinds.freeze import BySignal, FreezeFault, Freezer, runs
from insync.faults.spec import Lasting

OPEN_WITHIN_S: Final = 10.0
ARRIVES_WITHIN_S: Final = 0.3
RUNS_S: Final = 0.007
"""No multiple of a usual time between two transactions, so that it ends at all of their moments."""


class ClientFreeze(Lasting):
    """The Java clients are stopped in a transaction that the broker coordinates."""

    kind: Literal["client-freeze"]


class ClientFreezeFault(FreezeFault[ClientFreeze]):
    _open: frozenset[str] = frozenset()

    def freezer(self) -> Freezer:
        if self.context.clients is None:
            raise InsyncError("no Java clients, expected them for a client-freeze")
        return BySignal(self.context.clients)

    def inject(self) -> None:
        """Stop the process, again and again until a transaction is open."""
        give_up = time.monotonic() + OPEN_WITHIN_S
        super().inject()
        while not self._stays_open() and time.monotonic() < give_up:
            self._freezer.go_on()
            time.sleep(RUNS_S)
            super().inject()

    def _stays_open(self) -> bool:
        if self._ongoing():
            time.sleep(ARRIVES_WITHIN_S)
            self._open = frozenset(self._ongoing())
        return bool(self._open)

    def _ongoing(self) -> set[str]:
        return self.cluster.open_transactions(self.node) & set(self.context.transactions)

    def end(self) -> None:
        timed_out = len(self._open - self._ongoing())
        self.figures |= {"open": len(self._open), "timed_out": timed_out}
        super().end()


KIND = FaultKind(
    spec=ClientFreeze,
    words=KindWords(
        does="the process of the Java clients is stopped between the records and the end of a"
        " transaction, for longer than its timeout",
        mechanism="SIGSTOP, when the coordinator says that a transaction is open",
        evidence="as for `freeze`; how many transactions were open, and how many of these the"
        " coordinator had ended when the process went on",
        notes="`broker` coordinates the transactions. Needs `workload.transactions`, whose"
        " `timeout_ms` is less than `for_ms`, and `workload.client` `java` or `both`: librdkafka's"
        " clients are in the harness. Brokers tell of transactions from 3.0 on.",
    ),
    inject=ClientFreezeFault,
    missing=every_rule(runs, counted("open"), all_done("open", "timed_out")),
    tags=Tags(
        once=True,
        harmless=True,
        stops_clients=True,
        oldest=((3, 0), "older brokers do not say which transactions are open"),
    ),
)
