"""What several unit tests share: one Spark session, and the tables of a made-up run."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from insync.analysis.tables.bronze.folders import of_run
from insync.analysis.tables.pipeline import refresh
from insync.analysis.tables.spark import paths
from insync.analysis.tables.spark.session import SparkSettings, open_session
from insync.analysis.tables.spark.store import Rows, read_rows, rows_of_run
from insync.brokers.kafka.java import find_java
from insync.events.run_info import RunInfo, load_run
from unit.run_folder import write_run


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start Spark once, as the stage itself does.

    With more memory: this session does in turn what hundreds of commands would, and in the
    stage's own half a gigabyte it spent most of its time on collecting garbage.
    """
    os.environ["JAVA_HOME"] = str(find_java().home)
    settings = SparkSettings(conf={"spark.driver.memory": "1g"})
    with open_session(settings, tmp_path_factory.mktemp("spark") / "spark.log") as session:
        yield session


def rows_of(spark: SparkSession, *folders: Path) -> list[Rows]:
    """Compute every table of run folders, and read of each run those that reports are made from."""
    runs = [of_run(paths.local(each), load_run(each), has_events=True) for each in folders]
    into = f"{paths.local(folders[0])}/tables"
    refresh(spark, runs, into, "spark.log")
    rows = read_rows(spark, into)
    return [rows_of_run(rows, run.run) for run in runs]


@pytest.fixture(scope="session")
def made_up_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the run of KIP-501's story; tests must not change it."""
    return write_run(tmp_path_factory.mktemp("made-up"))


@pytest.fixture(scope="session")
def made_up_run(made_up_folder: Path) -> RunInfo:
    """Load what the made-up run was."""
    return load_run(made_up_folder)


@pytest.fixture(scope="session")
def made_up_rows(spark: SparkSession, made_up_folder: Path) -> Rows:
    """Compute the tables of the made-up run."""
    (rows,) = rows_of(spark, made_up_folder)
    return rows
