"""The settings of a session fit the size of its input."""

from pathlib import Path

import pytest

from insync.analysis.tables.spark import session
from insync.analysis.tables.spark.session import SparkSettings, fitting
from unit.run_folder import append


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_small_events_get_small_settings_and_large_ones_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    append(tmp_path / "run" / "events" / "stock" / "phases.jsonl", [{"type": "note"}])
    folders = [f"{scheme}{tmp_path}"]
    assert not fitting(SparkSettings(), folders).large
    monkeypatch.setattr(session, "LARGE_BYTES", 1)
    assert fitting(SparkSettings(), folders).large


def test_folders_of_another_file_system_count_as_large() -> None:
    assert fitting(SparkSettings(), ["s3a://bucket/runs"]).large
