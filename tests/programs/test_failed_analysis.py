"""An analysis that fails or is killed leaves earlier results as they are, and nothing else."""

import resource
import shutil
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from analysed import analysed_run
from commands import Done, insync, insync_json, start_insync
from insync.events.matrix_info import CELLS, PAGE, RESULTS, TEXT
from insync.events.schema import JUNIT, REPORT, VERDICT
from insync.faults.support.disk import volume
from processes import end
from unit.matrix_folder import write_matrix
from unit.run_folder import Story, write_run
from waiting import wait_for

OF_RUN = (VERDICT, REPORT, JUNIT)
OF_MATRIX = (CELLS, PAGE, TEXT, RESULTS)
OOPS = ("--spark-conf", "spark.driver.memory=oops")
MIB = 1 << 20
TOO_LITTLE = 32 << 10
"""Enough for the verdict of a run of which the tables are current, but not for its report."""
NO_VOLUME = volume.unavailable()


def with_results(folder: Path, names: Sequence[str]) -> dict[Path, str]:
    """Write the results of an earlier analysis; return their texts."""
    texts = {folder / name: f"the earlier {name}" for name in names}
    for path, text in texts.items():
        path.write_text(text)
    return texts


def assert_failed(done: Done, earlier: dict[Path, str], *words: str) -> None:
    """Assert exit code 3, one line with the words, and the earlier results."""
    said = [line for line in done.stderr.splitlines() if line.startswith("insync: ")]
    assert (done.returncode, done.stdout, len(said)) == (3, "", 1), done.stderr
    assert done.stderr.splitlines()[-1] == said[0]
    assert all(word in said[0] for word in words), said
    assert {path: path.read_text() for path in earlier} == earlier
    assert not [path for folder in {p.parent for p in earlier} for path in folder.glob(".*new")]


def test_a_matrix_and_its_runs_keep_their_results_if_spark_does_not_start(tmp_path: Path) -> None:
    matrix = write_matrix(tmp_path)
    earlier = with_results(matrix, OF_MATRIX)
    for name in ("good", "bad", "cut"):
        earlier |= with_results(matrix / "4.3.1" / name, OF_RUN)
    assert_failed(insync("report", matrix, *OOPS), earlier, str(matrix), "Spark did not start")


@contextmanager
def run_with_little_space(folder: Path, analysed: Path) -> Iterator[tuple[Path, volume.Volume]]:
    """Yield a copy of a run on a volume that has too little space for its report; the volume."""
    place = folder / "volume" / "data"
    place.mkdir(parents=True)
    small = volume.Volume.make(place, folder, 64 * MIB)
    try:
        results = shutil.ignore_patterns(*OF_RUN)  # they would leave space that is not counted
        run = shutil.copytree(analysed, place / "run", ignore=results)
        rest = place / "rest"
        rest.write_bytes(bytes(TOO_LITTLE))
        small.fill()
        rest.unlink()
        yield run, small
    finally:
        small.remove()


@pytest.mark.long
@pytest.mark.skipif(NO_VOLUME is not None, reason=str(NO_VOLUME))
def test_a_full_disk_is_no_pass(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    analysed, _ = analysed_run(tmp_path_factory)
    with run_with_little_space(tmp_path, analysed) as (run, small):
        earlier = with_results(run, OF_RUN)
        assert_failed(insync("report", run), earlier, str(run))
        small.clear()
        assert insync_json("report", run)["verdict"] == "pass"
        assert all(path.read_text() != text for path, text in earlier.items())


def test_a_report_that_cannot_be_written_is_no_pass(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """A limit of the size of a file stops the report, and nothing else: the tables are current."""
    analysed, _ = analysed_run(tmp_path_factory)
    run = shutil.copytree(analysed, tmp_path / "run")
    too_little = (run / REPORT).stat().st_size // 2
    assert (run / VERDICT).stat().st_size < too_little
    earlier = with_results(run, OF_RUN)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (too_little, before[1]))
    try:
        done = insync("report", run)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert_failed(done, earlier, str(run), "File too large")


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_command_that_is_ended_leaves_no_analysis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: signal.Signals
) -> None:
    """What is in the temporary folder after a SIGKILL, the next analysis removes."""
    run = write_run(tmp_path / "run", Story(repeats=1))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    with start_insync("report", run) as command:
        wait_for((run / "tables.new").exists, bool)
        assert end(command, how, least=2) == []
    if how is signal.SIGKILL:
        assert insync_json("report", run)["verdict"] == "pass"
    assert list(scratch.iterdir()) == []
