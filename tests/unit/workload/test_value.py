"""A value says where its record belongs, and shows that a part of it was changed."""

import random
from zlib import crc32

from hypothesis import given
from hypothesis import strategies as st

from insync.workload.value import HEADER_BYTES, UNREADABLE, ReadValue, read, value

SEQS = st.integers(0, 2**64 - 1)
PARTITIONS = st.integers(0, 2**32 - 1)
SIZES = st.integers(0, 300)


def written(topic: str, partition: int, seq: int, size: int) -> bytes:
    return value(topic, partition, seq, random.Random(seq), size)  # noqa: S311


@given(st.text("aä€-", max_size=20), PARTITIONS, SEQS, SIZES)
def test_what_was_written_is_read(topic: str, partition: int, seq: int, size: int) -> None:
    found = written(topic, partition, seq, size)
    assert len(found) == max(size, HEADER_BYTES)
    assert read(found, topic, partition) == ReadValue(seq)


@given(PARTITIONS, SEQS, SIZES, st.data())
def test_any_changed_bit_and_any_cut_shows(
    partition: int, seq: int, size: int, data: st.DataObject
) -> None:
    found = bytearray(written("t", partition, seq, size))
    at = data.draw(st.integers(0, len(found) * 8 - 1))
    whole = bytes(found)
    found[at // 8] ^= 1 << at % 8
    assert read(bytes(found), "t", partition).wrong is not None
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    assert read(cut, "t", partition) == ReadValue(UNREADABLE, read(cut, "t", partition).wrong)
    assert read(cut, "t", partition).wrong is not None


@given(st.binary(max_size=64))
def test_any_bytes_can_be_read(found: bytes) -> None:
    said = read(found, "t", 0)
    assert (said.seq == UNREADABLE) == (said.wrong is not None)


def test_a_record_of_another_topic_or_partition_is_named() -> None:
    found = written("t", 3, 9, 32)
    assert read(found, "u", 3) == ReadValue(UNREADABLE, "record 9 of another topic")
    assert read(found, "t", 4) == ReadValue(UNREADABLE, "record 9 of partition 3")


def test_the_layout_is_as_clients_in_other_languages_write_it() -> None:
    found = written("kip-501-r0", 2, 258, 20)
    assert found.hex() == (
        "a6ea3aa7" "8e3326f5" "00000002" "0000000000000102"
    )  # fmt: skip
    assert int.from_bytes(found[:4], "big") == crc32(found[4:])
    assert int.from_bytes(found[4:8], "big") == crc32(b"kip-501-r0")
