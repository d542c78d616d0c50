"""A process that analyses gets a folder for its temporary files, which does not stay."""

import os
import signal
import tempfile
from pathlib import Path

import pytest

from insync.scratch import scratch_environment, scratch_process
from processes import harness

HOLDER = """
import pathlib, time
from insync.scratch import scratch_environment
with scratch_environment() as environment:
    (pathlib.Path(environment["TMPDIR"]) / "left").touch()
    print(1, flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder of all temporary files, with a space in its name."""
    place = tmp_path / "all files"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", None)
    return place


def test_the_folder_is_that_of_python_and_of_the_jvm_and_is_removed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", "-Da=b")
    with scratch_environment() as environment:
        (folder,) = place.iterdir()
        (folder / "file").touch()
        assert environment["TMPDIR"] == str(folder)
        assert environment["SPARK_SUBMIT_OPTS"] == f'-Da=b -Djava.io.tmpdir="{folder}"'
    assert list(place.iterdir()) == []


def test_a_process_that_analyses_itself_has_its_environment_back_afterwards(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPARK_SUBMIT_OPTS", raising=False)
    with pytest.raises(OSError, match="full"), scratch_process():
        assert os.environ["TMPDIR"] == str(next(place.iterdir()))
        assert Path(tempfile.gettempdir()) == place
        raise OSError("full")
    assert os.environ["TMPDIR"] == str(place)
    assert "SPARK_SUBMIT_OPTS" not in os.environ
    assert list(place.iterdir()) == []


def test_a_killed_processs_folder_is_removed_and_that_of_a_running_one_is_not(place: Path) -> None:
    (place / "insync-scratch-of-others").mkdir()
    with harness(HOLDER) as (process, _):
        with scratch_environment():
            assert len(list(place.iterdir())) == 3
        process.send_signal(signal.SIGKILL)
    with scratch_environment():
        assert len(list(place.iterdir())) == 2
    assert [path.name for path in place.iterdir()] == ["insync-scratch-of-others"]
