"""Settings and fixtures of all tests: Hypothesis, and the analysis of what tests record.

Hypothesis has no deadline, because a shared machine may be slow. HYPOTHESIS_PROFILE=thorough tries
more examples, and marks the properties `long`, so that `make test-all` runs them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import is_hypothesis_test, settings

from analysed import analysed_together
from properties import THOROUGH

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from insync.analysis.engine.session import Session

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "shared")
settings.register_profile("shared", deadline=None, max_examples=50)
settings.register_profile(THOROUGH, deadline=None, max_examples=1_000)
settings.load_profile(PROFILE)

Judge = Callable[..., Any]


def pytest_itemcollected(item: pytest.Item) -> None:
    if PROFILE == THOROUGH and is_hypothesis_test(getattr(item, "obj", None)):
        item.add_marker("long")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Run a file's tests in one process, and all tests of containers in one.

    Those compare what the engine has before and after.
    """
    from xdist.scheduler import LoadFileScheduling

    class Files(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "containers" if file.startswith("tests/containers/") else file

    return Files(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    from insync.analysis.engine.options import Choice
    from insync.analysis.engine.session import open_session
    from insync.engines import AnalysisOptions

    log = tmp_path_factory.mktemp("engine") / "spark.log"
    with open_session(Choice("embedded"), AnalysisOptions(), log) as opened:
        yield opened


@pytest.fixture(scope="session")
def spark(session: Session) -> SparkSession:
    return session.spark


@pytest.fixture(scope="session")
def judge(session: Session) -> Judge:
    """Return what analyses run folders, as `insync report` does, and returns their verdicts."""
    from insync.events.schema import VERDICT

    return lambda *folders: _analysed(session, folders, VERDICT)


@pytest.fixture(scope="session")
def judge_matrices(session: Session) -> Judge:
    """Return what analyses matrices, as `insync report` does, and returns the cells of each."""
    from insync.events.matrix_info import CELLS

    return lambda *matrices: _analysed(session, matrices, CELLS)


@pytest.fixture(scope="session")
def analysed_folders(tmp_path_factory: pytest.TempPathFactory, judge_matrices: Judge) -> Path:
    """Return the folder that `analysed_together` makes; never change it."""
    return analysed_together(tmp_path_factory, judge_matrices)


def _analysed(session: Session, folders: Sequence[Path], result: str) -> list[Any]:
    """Analyse folders in one job; return the content of the file that each then has."""
    from insync.analysis.job import analyse, parse_job, places
    from insync.events.run_info import load_run

    job = parse_job([str(folder) for folder in folders])
    analyse(session, job, {folder: load_run(folder) for folder in job.folders}, places(job))
    return [json.loads((folder / result).read_text(encoding="utf-8")) for folder in folders]
