"""The benchmark of the pipeline ends with the command, even after a kill -9."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from commands import start_insync
from processes import end
from waiting import wait_for


@pytest.mark.long
def test_a_killed_benchmark_leaves_no_generator(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("scratch")))
    rows = ("--rows", "1e7", "--engines", "spark")
    written = tmp_path / "rows-10000000" / "produce"
    with start_insync("bench", "pipeline", *rows, "--out", tmp_path) as command:
        wait_for(written.exists, bool, within_s=60)
        assert end(command, signal.SIGKILL, least=2) == []
