"""A history that does not fit on the disk is refused before anything is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import invoke_refused
from insync.faults.support.disk import volume

NO_VOLUME = volume.unavailable()


@pytest.mark.skipif(NO_VOLUME is not None, reason=str(NO_VOLUME))
def test_a_history_larger_than_the_free_space_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "volume" / "data"
    place.mkdir(parents=True)
    small = volume.Volume.make(place, tmp_path, 64 << 20)
    try:
        out = place / "new" / "out"
        line = invoke_refused(capsys, "bench", "pipeline", "--rows", "1e4,1e7", "--out", str(out))
        assert f"--rows 10,000,000: takes about 0.5 GB in {place}, expected at most the 0." in line
        assert list(place.iterdir()) == []
    finally:
        small.remove()
