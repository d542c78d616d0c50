"""A power failure takes files back to what was flushed, and says what that took."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from insync.faults.support.disk.unsynced import PAGE, RolledBack, Unsynced


class Files:
    """Files of one folder, changed as the file system under a log folder changes them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.unsynced = Unsynced()

    def make(self, name: str) -> int:
        file = os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        self.unsynced.made(file)
        return file

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def fail(self) -> RolledBack:
        return self.unsynced.fail(str(self.folder))


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Files]:
    yield Files(tmp_path)


def test_a_log_goes_back_to_its_last_flush_with_half_of_the_next_write(files: Files) -> None:
    log = files.make("0.log")
    files.unsynced.write(log, b"flushed.", 0)
    files.unsynced.flush(log, data_only=True)
    files.unsynced.write(log, b"torn", 8)
    files.unsynced.write(log, b"lost", 12)
    assert files.fail() == RolledBack(files=1, bytes=6, log_bytes=6, torn_files=1)
    assert files.read("0.log") == b"flushed.to"
    assert files.fail() == RolledBack()


def test_a_file_that_is_no_log_is_never_torn(files: Files) -> None:
    checkpoint = files.make("recovery-point-offset-checkpoint.tmp")
    files.unsynced.write(checkpoint, b"0\n1\n", 0)
    assert files.fail() == RolledBack(files=1, bytes=4)
    assert files.read("recovery-point-offset-checkpoint.tmp") == b""


def test_a_flushed_file_keeps_its_content_under_another_name(files: Files) -> None:
    new = files.make("checkpoint.tmp")
    files.unsynced.write(new, b"0\n1\n", 0)
    files.unsynced.flush(new, data_only=False)
    (files.folder / "checkpoint.tmp").rename(files.folder / "checkpoint")
    assert files.fail() == RolledBack()
    assert files.read("checkpoint") == b"0\n1\n"


def test_what_was_there_before_is_flushed_once_it_is_settled(files: Files) -> None:
    files.unsynced.write(files.make("meta.properties"), b"id=1", 0)
    files.unsynced.settle()
    assert files.fail() == RolledBack()
    assert files.read("meta.properties") == b"id=1"


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 3 * PAGE), st.binary(min_size=1, max_size=PAGE)),
        st.tuples(st.just("resize"), st.integers(0, 4 * PAGE), st.just(b"")),
        st.tuples(st.just("flush"), st.just(0), st.just(b"")),
    ),
    max_size=12,
)


@given(STEPS)
@example([
    ("write", 0, bytes(range(256)) * (3 * PAGE // 256)), ("flush", 0, b""),
    ("write", PAGE - 5, b"x" * 10), ("write", PAGE - 5, b"y" * 10), ("resize", 2 * PAGE, b""),
])  # fmt: skip
def test_a_file_is_exactly_as_it_was_flushed_whatever_was_done(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, bytes]]
) -> None:
    files = Files(tmp_path_factory.mktemp("power"))
    file = files.make("0.index")
    flushed = b""
    for step, at, data in steps:
        if step == "write":
            files.unsynced.write(file, data, at)
        elif step == "resize":
            files.unsynced.resize(file, at)
        else:
            files.unsynced.flush(file, data_only=False)
            flushed = files.read("0.index")
    assert files.fail().log_bytes == 0, "it is not a log"
    os.close(file)
    assert files.read("0.index") == flushed
