"""The control file of the stall shim, as `native/stall.h` lays it out.

One process (the harness) writes the rules, the broker under the shim writes the
counters, both through a shared mapping. ctypes reads and writes an aligned word in
one piece.
"""

import ctypes
import mmap
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Final

from insync.errors import InsyncError

MAGIC: Final = 0x4C545349
LAYOUT: Final = 2
MAX_RULES: Final = 4096
MAX_DIR_BYTES: Final = 999
MAX_TARGET_BYTES: Final = 255


class Header(ctypes.Structure):
    """The head of struct stall_control."""

    _fields_ = [
        *((name, ctypes.c_uint32) for name in
          ("magic", "layout", "capacity", "used", "armed", "attached")),
        ("data_dir", ctypes.c_char * (MAX_DIR_BYTES + 1)),
    ]  # fmt: skip


class Slot(ctypes.Structure):
    """struct stall_rule."""

    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("state", "site", "mode", "held_now")),
        *((name, ctypes.c_uint64) for name in
          ("delay_ns", "deadline_ns", "calls", "held_ns", "longest_ns", "first_ns")),
        ("target", ctypes.c_char * (MAX_TARGET_BYTES + 1)),
    ]  # fmt: skip


HEADER_BYTES: Final = ctypes.sizeof(Header)
RULE_BYTES: Final = ctypes.sizeof(Slot)


class State(IntEnum):
    """The state of a rule."""

    UNUSED = 0
    ARMED = 1
    LIFTED = 2


class Site(IntEnum):
    """Which calls a rule stalls."""

    READ = 1
    SEND = 2
    WRITE = 3
    FSYNC = 4


class Mode(IntEnum):
    """Whether calls block until the rule is lifted or for a fixed time each, or fail with EIO."""

    HOLD = 1
    DELAY = 2
    FAIL = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """One rule to arm.

    Args:
        target: folder name, "<topic>-<partition>".
        delay_ns: how long each call is delayed; only for Mode.DELAY.
        deadline_ns: CLOCK_MONOTONIC; no call is stalled beyond it, lifted or not.

    """

    site: Site
    mode: Mode
    target: str
    deadline_ns: int
    delay_ns: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Counters:
    """What the shim counted for one rule; `held_now` is the calls stalled at this moment.

    `calls` were stalled, or failed by a rule that lets them; `first_ns` is when the first was
    (CLOCK_MONOTONIC), 0 if none was.
    """

    held_now: int
    calls: int
    held_ns: int
    longest_ns: int
    first_ns: int


class ControlFile:
    """A mapped control file: its `header` and its `slots`, which other processes share.

    Not thread-safe: one thread arms and lifts.
    """

    def __init__(self, path: Path) -> None:
        """Map an existing control file; raises InsyncError if it is not one of this layout."""
        with path.open("r+b") as file:
            if path.stat().st_size < HEADER_BYTES:
                raise InsyncError(f"{path}: shorter than the header of a stall control file")
            self._map = mmap.mmap(file.fileno(), 0)
        self.header = Header.from_buffer(self._map)
        if (self.header.magic, self.header.layout) != (MAGIC, LAYOUT):
            raise InsyncError(f"{path}: not a stall control file of layout {LAYOUT}")
        self.slots = (Slot * self.header.capacity).from_buffer(self._map, HEADER_BYTES)

    @classmethod
    def create(cls, path: Path, data_dir: Path, capacity: int) -> "ControlFile":
        """Make and map a control file for rules below `data_dir`, before its broker starts."""
        folder = str(data_dir.resolve()).encode()
        if len(folder) > MAX_DIR_BYTES:
            raise InsyncError(f"{data_dir}: longer than {MAX_DIR_BYTES} bytes")
        if not 0 < capacity <= MAX_RULES:
            raise InsyncError(f"{path}: {capacity} rules, expected 1 to {MAX_RULES}")
        header = Header(magic=MAGIC, layout=LAYOUT, capacity=capacity, data_dir=folder)
        path.write_bytes(bytes(header) + bytes(capacity * RULE_BYTES))
        return cls(path)

    @property
    def attached(self) -> int:
        """How many processes have mapped the file under the shim."""
        return int(self.header.attached)

    def arm(self, rule: Rule) -> int:
        """Arm a rule in the next free slot and return the slot."""
        number = self.header.used
        target = rule.target.encode()
        if number >= self.header.capacity or len(target) > MAX_TARGET_BYTES:
            raise InsyncError(
                f"cannot arm stall rule {number} of {self.header.capacity} for {rule.target}"
            )
        slot = self.slots[number]
        slot.site, slot.mode, slot.target = rule.site, rule.mode, target
        slot.delay_ns, slot.deadline_ns = rule.delay_ns, rule.deadline_ns
        self._map.flush()  # a barrier: the state is published after the rest of the rule
        slot.state = State.ARMED
        self.header.used += 1
        self.header.armed += 1
        return int(number)

    def lift(self, slot: int) -> None:
        """Lift the rule in `slot`; the calls that it stalls return within about a millisecond."""
        rule = self.slots[slot]
        if rule.state == State.ARMED:
            rule.state = State.LIFTED
            self.header.armed -= 1

    def counters(self, slot: int) -> Counters:
        """Read the counters of the rule in `slot`."""
        rule = self.slots[slot]
        return Counters(
            held_now=rule.held_now, calls=rule.calls, held_ns=rule.held_ns,
            longest_ns=rule.longest_ns, first_ns=rule.first_ns,
        )  # fmt: skip
