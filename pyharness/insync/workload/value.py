"""Write and read a record's value, which says where the record belongs and whether it is intact.

Every client of the workload writes these bytes, in whatever language; numbers are unsigned and
big-endian:

    offset  bytes  content
         0      4  checksum: CRC-32 (zlib.crc32, java.util.zip.CRC32) of all bytes from offset 4 on
         4      4  topic: the same CRC-32 of the topic's name in UTF-8
         8      4  partition
        12      8  sequence number of the record in its partition
        20    any  filler, up to the size of the scenario's `record_bytes`; may be empty

A value is never shorter than these HEADER_BYTES: a smaller `record_bytes` gives values without
filler. The topic is a checksum, so that values of all topics may have the same size.
"""

import random
import struct
import zlib
from dataclasses import dataclass
from typing import Final

_CHECKSUM: Final = struct.Struct(">I")
_PLACE: Final = struct.Struct(">IIQ")  # topic, partition, sequence number
HEADER_BYTES: Final = _CHECKSUM.size + _PLACE.size

UNREADABLE: Final = -1
"""The sequence number of a value that does not have one that can be trusted."""


@dataclass(frozen=True, slots=True)
class ReadValue:
    """What a value says: its sequence number, and what is wrong with it, None if it is intact.

    The sequence number is UNREADABLE unless the value is intact: a record of another partition has
    one of that partition.
    """

    seq: int
    wrong: str | None = None


def value(topic: str, partition: int, seq: int, source: random.Random, size: int) -> bytes:
    """Return a record's value, of `size` bytes, or of HEADER_BYTES if that is more."""
    filler = source.randbytes(max(0, size - HEADER_BYTES))
    body = _PLACE.pack(_topic(topic), partition, seq) + filler
    return _CHECKSUM.pack(zlib.crc32(body)) + body


def read(found: bytes, topic: str, partition: int) -> ReadValue:
    """Return what the value of a record of this topic and partition says; raises nothing."""
    if len(found) < HEADER_BYTES:
        return ReadValue(UNREADABLE, f"{len(found)} bytes, expected at least {HEADER_BYTES}")
    body = found[_CHECKSUM.size :]
    written, computed = _CHECKSUM.unpack_from(found)[0], zlib.crc32(body)
    if written != computed:
        return ReadValue(UNREADABLE, f"checksum {computed:08x}, expected {written:08x}")
    of_topic, of_partition, seq = _PLACE.unpack_from(body)
    if of_topic != _topic(topic):
        return ReadValue(UNREADABLE, f"record {seq} of another topic")
    if of_partition != partition:
        return ReadValue(UNREADABLE, f"record {seq} of partition {of_partition}")
    return ReadValue(seq)


def _topic(name: str) -> int:
    return zlib.crc32(name.encode())
