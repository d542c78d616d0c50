"""Fixtures of several unit tests: a made-up run and its tables."""

from pathlib import Path

import pytest

from analysed import analysed_run
from commands import Done
from insync.analysis.engine import paths
from insync.analysis.engine.session import Session
from insync.analysis.tables.bronze.folders import of_run
from insync.analysis.tables.current import stored_rows
from insync.analysis.tables.pipeline import refresh
from insync.analysis.tables.rows import Rows, rows_of_run
from insync.brokers.kafka import releases
from insync.brokers.kafka.versions import known
from insync.events.run_info import RunInfo, load_run


@pytest.fixture(autouse=True)
def _no_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pinned releases of Kafka be all that there are: no test asks for the others."""
    monkeypatch.setattr(releases, "published", known)


def rows_of(session: Session, *folders: Path) -> list[Rows]:
    """Compute every table of run folders; return of each run the rows that its report needs."""
    runs = [of_run(paths.local(each), load_run(each), has_events=True) for each in folders]
    into = f"{paths.local(folders[0])}/tables"
    rows = refresh(session, runs, into, "spark.log")
    return [rows_of_run(rows, run.run) for run in runs]


@pytest.fixture(scope="session")
def made_up_analysis(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """Return the made-up run of KIP-501's case and what its analysis printed; never change it."""
    return analysed_run(tmp_path_factory)


@pytest.fixture(scope="session")
def made_up_folder(made_up_analysis: tuple[Path, Done]) -> Path:
    """Return the folder of the made-up run, which is analysed."""
    return made_up_analysis[0]


@pytest.fixture(scope="session")
def run(made_up_folder: Path) -> RunInfo:
    return load_run(made_up_folder)


@pytest.fixture(scope="session")
def rows(made_up_folder: Path) -> Rows:
    return stored_rows(made_up_folder / "tables")
