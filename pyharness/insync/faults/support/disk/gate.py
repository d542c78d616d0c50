"""The reader of a control file: the file system calls it before each operation, and waits here.

The harness writes the rules (`support/control.py`, `native/stall.h`); one with an empty target
is for every operation.
"""

import threading
import time
from pathlib import Path
from typing import Final

from insync.faults.support.control import ControlFile, Mode, Site, Slot, State

POLL_SECONDS: Final = 0.005  # how soon a stalled operation notices that its rule was lifted


class Gate:
    """Stalls the threads that enter it for as long as the rules of a control file say."""

    def __init__(self, path: Path) -> None:
        """Map a control file that the harness made."""
        self._control = ControlFile(path)
        self._counting = threading.Lock()

    def attach(self) -> None:
        """Tell the harness that its rules are applied."""
        self._control.header.attached += 1

    def enter(self, site: Site) -> None:
        """Wait as long as the rules for `site` say; while none is armed it costs one load."""
        if self._control.header.armed:
            for slot in range(self._control.header.used):
                rule = self._control.slots[slot]
                if rule.state == State.ARMED and rule.site == site:
                    self._obey(rule)

    def _obey(self, rule: Slot) -> None:
        with self._counting:  # first of all: a harness that then sees 0 has seen the last of them
            rule.held_now += 1
        since = time.monotonic_ns()
        try:
            if self._wait_out(rule, since):
                self._count(rule, time.monotonic_ns() - since)
        finally:
            with self._counting:
                rule.held_now -= 1

    def _wait_out(self, rule: Slot, since: int) -> bool:
        """Block for as long as a rule says; return False if it no longer applies."""
        end = rule.deadline_ns
        if rule.mode == Mode.DELAY:
            end = min(end, since + rule.delay_ns)
        if since >= end or rule.state != State.ARMED:
            return False
        with self._counting:
            rule.calls += 1
            rule.first_ns = rule.first_ns or since
        while (left := end - time.monotonic_ns()) > 0 and rule.state == State.ARMED:
            time.sleep(min(POLL_SECONDS, left / 1e9))
        return True

    def _count(self, rule: Slot, held_ns: int) -> None:
        with self._counting:
            rule.held_ns += held_ns
            rule.longest_ns = max(rule.longest_ns, held_ns)
