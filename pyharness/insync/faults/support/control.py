"""The control file of the stall shim, as `native/stall.h` lays it out.

One process (the harness) writes the rules, the broker under the shim writes the
counters, both through a shared mapping. Words are read and written with native
`struct` codes, which copy an aligned word in one piece.
"""

import mmap
import struct
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

_HEADER: Final = struct.Struct("@IIIIII1000s")  # see struct stall_control
_RULE: Final = struct.Struct("@IIIIQQQQQQ256s")  # see struct stall_rule
_WORD: Final = struct.Struct("@I")
_USED_AT: Final = 12
_ARMED_AT: Final = 16
_ATTACHED_AT: Final = 20
HEADER_BYTES: Final = _HEADER.size
RULE_BYTES: Final = _RULE.size


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
    """Whether calls block until the rule is lifted or for a fixed time each."""

    HOLD = 1
    DELAY = 2


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

    `first_ns` is when the first was stalled (CLOCK_MONOTONIC), 0 if none was.
    """

    held_now: int
    calls: int
    held_ns: int
    longest_ns: int
    first_ns: int


class ControlFile:
    """A mapped control file. Not thread-safe: one thread arms and lifts."""

    def __init__(self, path: Path) -> None:
        """Map an existing control file; raises InsyncError if it is not one of this layout."""
        with path.open("r+b") as file:
            if path.stat().st_size < HEADER_BYTES:
                raise InsyncError(f"{path}: shorter than the header of a stall control file")
            self._map = mmap.mmap(file.fileno(), 0)
        header = _HEADER.unpack_from(self._map)
        magic, layout = header[:2]
        self._capacity: int = header[2]
        self._used: int = header[3]
        self._armed: int = header[4]
        if (magic, layout) != (MAGIC, LAYOUT):
            raise InsyncError(f"{path}: not a stall control file of layout {LAYOUT}")

    @classmethod
    def create(cls, path: Path, data_dir: Path, capacity: int) -> "ControlFile":
        """Make and map a control file for rules below `data_dir`, before its broker starts."""
        folder = str(data_dir.resolve()).encode()
        if len(folder) > MAX_DIR_BYTES:
            raise InsyncError(f"{data_dir}: longer than {MAX_DIR_BYTES} bytes")
        if not 0 < capacity <= MAX_RULES:
            raise InsyncError(f"{path}: {capacity} rules, expected 1 to {MAX_RULES}")
        header = _HEADER.pack(MAGIC, LAYOUT, capacity, 0, 0, 0, folder)
        path.write_bytes(header + bytes(capacity * RULE_BYTES))
        return cls(path)

    @property
    def attached(self) -> int:
        """How many processes have mapped the file under the shim."""
        return int(_WORD.unpack_from(self._map, _ATTACHED_AT)[0])

    def arm(self, rule: Rule) -> int:
        """Arm a rule in the next free slot and return the slot."""
        slot = self._used
        target = rule.target.encode()
        if slot >= self._capacity or len(target) > MAX_TARGET_BYTES:
            raise InsyncError(f"cannot arm stall rule {slot} of {self._capacity} for {rule.target}")
        written = (rule.site, rule.mode, 0, rule.delay_ns, rule.deadline_ns, 0, 0, 0, 0, target)
        _RULE.pack_into(self._map, self._at(slot), State.UNUSED, *written)
        self._map.flush()  # a barrier: the state is published after the rest of the rule
        _WORD.pack_into(self._map, self._at(slot), State.ARMED)
        self._used += 1
        self._armed += 1
        _WORD.pack_into(self._map, _USED_AT, self._used)
        _WORD.pack_into(self._map, _ARMED_AT, self._armed)
        return slot

    def lift(self, slot: int) -> None:
        """Lift the rule in `slot`; the calls that it stalls return within about a millisecond."""
        if _WORD.unpack_from(self._map, self._at(slot))[0] == State.ARMED:
            _WORD.pack_into(self._map, self._at(slot), State.LIFTED)
            self._armed -= 1
            _WORD.pack_into(self._map, _ARMED_AT, self._armed)

    def counters(self, slot: int) -> Counters:
        """Read the counters of the rule in `slot`."""
        rule = _RULE.unpack_from(self._map, self._at(slot))
        return Counters(
            held_now=rule[3], calls=rule[6], held_ns=rule[7], longest_ns=rule[8], first_ns=rule[9]
        )

    @staticmethod
    def _at(slot: int) -> int:
        return HEADER_BYTES + slot * RULE_BYTES
