"""Fixtures of the tests of `insync why`."""

import shutil
from pathlib import Path

import pytest

from analysed import unpack
from unit.why.log_files import Logs


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a real run of kip-501, which nothing changes."""
    return unpack("kip-501", tmp_path_factory.mktemp("recorded"))


@pytest.fixture
def copied(recorded: Path, tmp_path: Path) -> Path:
    """Return a copy of that run, which a test may change."""
    return shutil.copytree(recorded, tmp_path / "run")


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    return Logs(tmp_path)
