"""Fixtures of several unit tests: one Spark session, and the tables of a made-up run."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from insync.analysis.tables.bronze.folders import of_run
from insync.analysis.tables.pipeline import refresh
from insync.analysis.tables.rows import Rows, rows_of_run
from insync.analysis.tables.spark import paths
from insync.analysis.tables.spark.session import SparkSettings, open_session
from insync.brokers.kafka.java import find_java
from insync.events.run_info import RunInfo, load_run
from unit.run_folder import write_run


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """Start Spark once, as the analysis itself does.

    It has more memory than an analysis: this session does the work of hundreds of them, and in
    half a gigabyte it spent most of its time on garbage collection.
    """
    os.environ["JAVA_HOME"] = str(find_java().home)
    settings = SparkSettings(conf={"spark.driver.memory": "1g"})
    with open_session(settings, tmp_path_factory.mktemp("spark") / "spark.log") as session:
        yield session


def rows_of(spark: SparkSession, *folders: Path) -> list[Rows]:
    """Compute every table of run folders; return of each run the rows that its report needs."""
    runs = [of_run(paths.local(each), load_run(each), has_events=True) for each in folders]
    into = f"{paths.local(folders[0])}/tables"
    rows = refresh(spark, runs, into, "spark.log")
    return [rows_of_run(rows, run.run) for run in runs]


@pytest.fixture(scope="session")
def made_up_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the made-up run of KIP-501's case; tests must not change it."""
    return write_run(tmp_path_factory.mktemp("made-up"))


@pytest.fixture(scope="session")
def made_up_run(made_up_folder: Path) -> RunInfo:
    """Load run.json of the made-up run."""
    return load_run(made_up_folder)


@pytest.fixture(scope="session")
def made_up_rows(spark: SparkSession, made_up_folder: Path) -> Rows:
    """Compute the tables of the made-up run."""
    (rows,) = rows_of(spark, made_up_folder)
    return rows
