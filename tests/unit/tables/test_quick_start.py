"""The class archive of Spark's JVM is written once and completely, and used from then on."""

import os
from pathlib import Path

import pytest

from insync.analysis.tables.spark import quick_start, session
from insync.analysis.tables.spark.session import SparkSettings, fitting
from insync.brokers.kafka.java import Java
from unit.run_folder import append

JVM = "spark.driver.extraJavaOptions"


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Say where the archive is to be, in an environment of its own."""
    monkeypatch.setattr(quick_start, "_FOLDER", tmp_path / "share")
    return quick_start.archive_of(Java(tmp_path, 17, "a VM"))


def written(archive: Path, text: str) -> Path:
    """Do what the JVM does as it ends; returns the file that it was asked for."""
    (asked,) = archive.parent.iterdir()
    asked.write_text(text)
    return asked


def test_the_first_jvm_writes_what_the_next_ones_use(archive: Path) -> None:
    asked = quick_start.flag(archive)
    assert asked.startswith("-XX:ArchiveClassesAtExit=")
    assert asked.endswith(str(written(archive, "classes")))
    assert quick_start.is_asked_for()
    quick_start.keep()
    assert list(archive.parent.iterdir()) == [archive]
    assert quick_start.flag(archive) == f"-XX:SharedArchiveFile={archive}"
    assert not quick_start.is_asked_for()


def test_a_jvm_that_wrote_nothing_leaves_nothing(archive: Path) -> None:
    quick_start.flag(archive)
    quick_start.keep()
    assert list(archive.parent.iterdir()) == []


def test_files_of_killed_processes_are_removed(archive: Path) -> None:
    quick_start.flag(archive)
    written(archive, "classes")
    archive.with_suffix(".1").write_text("half")
    quick_start.keep()
    assert list(archive.parent.iterdir()) == [archive]


def test_of_two_processes_one_writes_the_archive(archive: Path) -> None:
    archive.parent.mkdir()
    other = archive.with_suffix(f".{os.getppid()}")
    other.touch()
    assert quick_start.flag(archive) == ""
    other.rename(archive.with_suffix(f".{2**22 + 1}"))  # no process has such a number
    assert quick_start.flag(archive).startswith("-XX:ArchiveClassesAtExit=")


def test_another_java_has_another_archive(archive: Path, tmp_path: Path) -> None:
    assert quick_start.archive_of(Java(tmp_path, 21, "another VM")) != archive


def test_a_read_only_environment_has_no_archive(archive: Path) -> None:
    archive.parent.write_text("a file where the folder should be")
    assert quick_start.flag(archive) == ""


def test_only_a_local_session_uses_it(archive: Path) -> None:
    settings = SparkSettings(archive=archive).resolved()
    assert settings[JVM].endswith(quick_start.flag(archive))
    own = SparkSettings(conf={JVM: "-Xss4m"}, archive=archive).resolved()
    assert own[JVM] == "-Xss4m"
    assert JVM not in SparkSettings("spark://there:7077", archive=archive).resolved()


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_settings_fit_the_size_of_the_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    for arm in ("stock", "read"):
        append(tmp_path / "run" / "events" / arm / "phases.jsonl", [{"type": "note"}])
    folders = [f"{scheme}{tmp_path}"]
    assert fitting(SparkSettings(), folders).size == "small"
    monkeypatch.setattr(session, "MEDIUM_BYTES", 1)
    assert fitting(SparkSettings(), folders).size == "medium"
    monkeypatch.setattr(session, "LARGE_BYTES", 2)
    assert fitting(SparkSettings(), folders).size == "large"


def test_many_arms_are_large_however_few_events_they_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for arm in ("stock", "read"):
        append(tmp_path / "run" / "events" / arm / "phases.jsonl", [{"type": "note"}])
    monkeypatch.setattr(session, "MOST_ARMS", 1)
    assert fitting(SparkSettings(), [str(tmp_path)]).size == "large"


def test_folders_of_another_file_system_count_as_large() -> None:
    assert fitting(SparkSettings(), ["s3a://bucket/runs"]).size == "large"
