"""The control file of the stall shim, as `native/stall.h` lays it out.

One process (the harness) writes the rules, the broker under the shim writes the
counters, both through a shared mapping. ctypes reads and writes an aligned word in
one piece.
"""

import ctypes
import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Final

from insync.errors import InsyncError

MAGIC: Final = 0x4C545349
LAYOUT: Final = 4
MAX_RULES: Final = 65536
BUCKETS: Final = 16384
MAX_DIR_BYTES: Final = 971
MAX_TARGET_BYTES: Final = 251
MAX_FILES_BYTES: Final = 63


class Header(ctypes.Structure):
    """The head of struct stall_control."""

    _fields_ = [
        *((name, ctypes.c_uint32) for name in
          ("magic", "layout", "capacity", "used", "armed", "attached", "sites")),
        ("data_dir", ctypes.c_char * (MAX_DIR_BYTES + 1)),
        ("ahead_ns", ctypes.c_int64),
        ("shifted", ctypes.c_uint64),
        ("unused", ctypes.c_uint64),
        ("buckets", ctypes.c_uint32 * BUCKETS),
    ]  # fmt: skip


class Slot(ctypes.Structure):
    """struct stall_rule: a rule, and what the shim counts for it.

    `held_now` calls are stalled at this moment; `calls` were stalled, or failed by a rule that lets
    them; `first_ns` is when the first was (CLOCK_MONOTONIC), 0 if none was.
    """

    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("state", "site", "mode", "held_now")),
        *((name, ctypes.c_uint64) for name in
          ("delay_ns", "deadline_ns", "calls", "held_ns", "longest_ns", "first_ns")),
        ("next", ctypes.c_uint32),
        ("target", ctypes.c_char * (MAX_TARGET_BYTES + 1)),
        ("files", ctypes.c_char * (MAX_FILES_BYTES + 1)),
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
    CREATE = 5
    TRUNCATE = 6
    RENAME = 7
    OPEN = 8
    UNLINK = 9


FILES: Final = {site: "*.log ." if site == Site.FSYNC else "*.log" for site in Site}
"""Which files of a partition the calls of a site are on, where a rule does not say."""


class Mode(IntEnum):
    """Whether calls block until the rule is lifted or for a fixed time each, or fail with EIO."""

    HOLD = 1
    DELAY = 2
    FAIL = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class StallRule:
    """One rule to arm.

    Args:
        target: folder name, "<topic>-<partition>".
        files: patterns of the files there, with a space between two; ".": the folder itself.
            Empty: those of `FILES`.
        delay_ns: how long each call is delayed; only for Mode.DELAY.
        deadline_ns: CLOCK_MONOTONIC; no call is stalled beyond it, lifted or not.

    """

    site: Site
    mode: Mode
    target: str
    deadline_ns: int
    delay_ns: int = 0
    files: str = ""


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
        with path.open("wb") as file:
            file.write(bytes(header))
            file.truncate(HEADER_BYTES + capacity * RULE_BYTES)
        return cls(path)

    @property
    def attached(self) -> int:
        """How many processes have mapped the file under the shim."""
        return int(self.header.attached)

    def arm(self, rule: StallRule) -> int:
        """Arm a rule in the next free slot and return the slot."""
        (slot,) = self.arm_all([rule])
        return slot

    def arm_all(self, rules: Sequence[StallRule]) -> list[int]:
        """Arm rules as one, each in the next free slot, and return the slots.

        Raises InsyncError, and arms none, if one of them does not fit.
        """
        first = int(self.header.used)
        targets = [rule.target.encode() for rule in rules]
        for number, target in enumerate(targets, first):
            if number >= self.header.capacity or len(target) > MAX_TARGET_BYTES:
                raise InsyncError(
                    f"cannot arm stall rule {number} of {self.header.capacity} for"
                    f" {target.decode()}"
                )
        slots = list(range(first, first + len(rules)))
        for number, rule, target in zip(slots, rules, targets, strict=True):
            slot = self.slots[number]
            slot.site, slot.mode, slot.target = rule.site, rule.mode, target
            slot.files = (rule.files or FILES[rule.site]).encode()
            slot.delay_ns, slot.deadline_ns = rule.delay_ns, rule.deadline_ns
            self._append(_bucket(target), number)
            self.header.sites |= 1 << rule.site
        self._map.flush()  # a barrier: the states are published after the rest of the rules
        for number in slots:
            self.slots[number].state = State.ARMED
        self.header.used += len(rules)
        self.header.armed += len(rules)
        return slots

    def _append(self, bucket: int, number: int) -> None:
        """Let the shim find a rule, after those before it: calls meet rules in their order."""
        after = self.header.buckets[bucket]
        if not after:
            self.header.buckets[bucket] = number + 1
            return
        while self.slots[after - 1].next:
            after = self.slots[after - 1].next
        self.slots[after - 1].next = number + 1

    def check_attached(self, broker: int) -> None:
        """Raise InsyncError if the broker does not run under the shim."""
        if self.attached == 0:
            raise InsyncError(f"broker {broker} did not load the stall shim")

    def show_ahead(self, ahead_ns: int) -> None:
        """Show the broker's process the time of day ahead by this much; 0: as it is."""
        self.header.ahead_ns = ahead_ns

    @property
    def shifted(self) -> int:
        """How often the process was shown another time of day than the host's."""
        return int(self.header.shifted)

    def lift(self, slot: int) -> None:
        """Lift the rule in `slot`; the calls that it stalls return within about a millisecond."""
        rule = self.slots[slot]
        if rule.state == State.ARMED:
            rule.state = State.LIFTED
            self.header.armed -= 1

    def counters(self, slot: int) -> Slot:
        """Return the rule in `slot`, whose counters the shim goes on to change."""
        rule: Slot = self.slots[slot]
        return rule


def _bucket(target: bytes) -> int:
    """Return where the shim looks for a rule with this target: FNV-1a, as in stall.c."""
    value = 2166136261
    for byte in target:
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value % BUCKETS
