"""The class archive is used where it was made, and belongs to one Java."""

from pathlib import Path

import pytest

from insync.tables import class_archive
from insync.tables.session import SparkSettings


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a Java home and an empty cache."""
    home = tmp_path / "jdk"
    home.mkdir()
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setenv("INSYNC_CACHE", str(tmp_path / "cache"))
    return home


def test_without_an_archive_the_session_starts_plainly(java: Path) -> None:
    assert class_archive.use_option() == ""
    assert "Shared" not in SparkSettings().resolved()["spark.driver.extraJavaOptions"]


def test_an_archive_that_was_made_is_used_by_local_masters_only(java: Path) -> None:
    made = class_archive.folder(java) / class_archive.FILE
    made.parent.mkdir(parents=True)
    made.touch()
    option = f"-XX:SharedArchiveFile={made}"
    assert SparkSettings().resolved()["spark.driver.extraJavaOptions"].endswith(option)
    assert "spark.driver.extraJavaOptions" not in SparkSettings("spark://m:7077").resolved()


def test_an_upgraded_java_gets_an_archive_of_its_own(java: Path) -> None:
    before = class_archive.folder(java)
    (java / "release").write_text('JAVA_VERSION="21"')
    assert class_archive.folder(java) != before
