"""`stop`: a broker is stopped as an operator does it (SIGTERM), and started again at the end.

It shuts down under control: it hands its leaders over before it ends. Several in turn are a rolling
restart. One that has not ended when its time is over is killed, which is a finding of the repeat.
Evidence: whether it ended by itself, and how long that took; after its start, that another broker
lists it again, which it does as soon as the controller does not fence it any more, and how long
that took. The lift waits for that.
"""

import time
from signal import SIGTERM
from threading import Thread
from typing import Final, Literal

from insync.errors import InsyncError
from insync.faults.base import Fault, await_true
from insync.faults.kind import FaultKind, KindWords, Tags, counted
from insync.faults.spec import Lasting
from insync.running import Running

LISTED_WITHIN_S: Final = 30.0
BEYOND_S: Final = 60.0
"""How long beyond its planned time the end is waited for, in a thread of its own."""


class Stop(Lasting):
    """The broker is stopped (SIGTERM), and started again at the end."""

    kind: Literal["stop"]


class StopFault(Fault[Stop]):
    acted = True
    _waiting: Thread
    _shut_down_ms: float | None = None

    def inject(self) -> None:
        process = self.process
        if process.poll() is not None:
            raise InsyncError(f"{self.context.where}: its process ended before the stop")
        self.window.begin()
        asked = time.monotonic()
        process.send_signal(SIGTERM)
        self._waiting = Thread(target=self._await_end, args=(process, asked), daemon=True)
        self._waiting.start()

    def end(self) -> None:
        """Start the broker again and wait until it is listed; kill it first if it has not ended."""
        broker = self.context.broker
        late = self.process.poll() is None
        if late:
            self.failed = (
                f"{self.context.where}: did not end within {self.context.planned_ms / 1000:g} s"
                " of SIGTERM"
            )
            self.cluster.cluster.kill(broker)
        self._waiting.join()
        if self._shut_down_ms is not None and not late:
            self.figures["shut_down_ms"] = round(self._shut_down_ms, 1)
        self.figures["ended"] = "shut_down_ms" in self.figures
        self.window.end()
        began = time.monotonic()
        self.cluster.cluster.restart(broker)
        listed = await_true(lambda: self.cluster.is_listed(broker), LISTED_WITHIN_S)
        self.figures["listed"] = listed
        if listed:
            self.figures["listed_ms"] = round((time.monotonic() - began) * 1000, 1)

    def _await_end(self, process: Running, asked: float) -> None:
        within_s = self.context.planned_ms / 1000 + BEYOND_S
        if await_true(lambda: process.poll() is not None, within_s):
            self._shut_down_ms = (time.monotonic() - asked) * 1000


KIND = FaultKind(
    spec=Stop,
    words=KindWords(
        does="the broker shuts down under control, and is started again on the same data",
        mechanism="SIGTERM, also to the process of a container",
        evidence="whether it ended by itself, with `shut_down_ms`; it was listed by another broker"
        " after its start, with `listed_ms`",
        notes="Several in turn are a rolling restart. A broker that has not ended when its time is"
        " over is killed, and counted by `nodes_not_stopped`. The end waits until it is listed, at"
        f" most {LISTED_WITHIN_S:g} s.",
    ),
    inject=StopFault,
    missing=counted("listed"),
    tags=Tags(alone=True, kills=True, stops_following=True, only_planned=True),
)
