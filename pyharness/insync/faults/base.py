"""What every fault can do, and the evidence it must return.

A fault that cannot show that it acted proves nothing, so `evidence` is part of
the protocol: the verdict is unknown when it is missing or too weak.
"""

from typing import Protocol

from insync.events.schema import FaultLine


class Fault(Protocol):
    """One fault on one broker: injected once, lifted once."""

    def inject(self) -> None:
        """Let the fault begin; raises InsyncError if it cannot act."""

    def lift(self) -> None:
        """End the fault and wait until nothing is held by it any more.

        Does nothing if the fault was never injected or is lifted already, so that
        a `finally` may always call it.
        """

    def evidence(self) -> FaultLine:
        """Return what the fault did, times included; to be called after `lift`."""
