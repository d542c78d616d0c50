"""Both engines compute the same rows: of every recorded run, and of every planted history.

A difference is a failure. Only doubles may differ, in their last digits.
"""

import gzip
import math
from collections.abc import Iterator
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysed import unpack
from insync.analysis.engine import paths
from insync.analysis.engine.options import Choice
from insync.analysis.engine.session import Session, open_session
from insync.analysis.engine.whole_files import read_in
from insync.analysis.tables.bronze import lines as bronze
from insync.analysis.tables.bronze.folders import look
from insync.analysis.tables.bronze.lines import ddl
from insync.analysis.tables.contracts import CONTRACTS, LAYERS
from insync.analysis.tables.pipeline import refresh
from insync.engines import AnalysisOptions
from insync.why.sources import scan
from unit.checks.test_planted import check, of_any_kind
from unit.histories.history import History
from unit.histories.plantings import ALL, planted_where_it_fits
from unit.pipeline.odd_runs import write_odd_runs
from unit.run_folder import append, write_run

CLOSE = 1e-9
SMALL = {
    # Most of the time is planning: more partitions and generated code cost more than they save.
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
}
KINDS = {kind.name: kind for kind in (*bronze.ALL, bronze.FOREIGN)}
Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def spark_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Open the only session of Apache Spark."""
    log = tmp_path_factory.mktemp("spark") / "spark.log"
    with open_session(Choice("spark"), AnalysisOptions(conf=SMALL), log) as opened:
        yield opened


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Collect the recorded runs, made-up ones, odd ones, and lines that cannot be read."""
    folder = tmp_path_factory.mktemp("runs {1} [x] 50% ü")
    unpack("kip-501", folder)
    unpack("matrix", folder)
    write_odd_runs(folder / "odd")
    events = write_run(folder / "made-up") / "events"
    read = {"arm": "stock", "repeat": 0, "topic": "t", "partition": 0, "offset": 1, "seq": 1}
    wrong = ({"v": 2}, {"seq": "one"}, {"seq": None}, {"v": None}, {"offset": 1 << 70}, {"nth": []})
    append(events / "stock/consume-8.jsonl", [read, *({**read, **each} for each in wrong)])
    with (events / "stock/consume-9.jsonl").open("wb") as file:
        file.write(
            b'\n{"v": 1, "arm"\n[]\nnull\n{} {}\n\xff\xfe\n  \n{"v": true}\r\n{"a":1}{"v":1}'
        )
    append(events / "another/consume-0.jsonl", [read])
    append(events / "stock/notes.jsonl", [read])
    return folder


def test_spark_scans_logs_as_this_process_does(spark_session: Session, tmp_path: Path) -> None:
    """Its workers read the files of `insync why --logs` that are elsewhere."""
    line = "[2026-01-02 03:04:05,678] INFO [Partition t-0 broker=1] Shrinking ISR from 1,2 to 1"
    (tmp_path / "kafka 1").mkdir()
    (tmp_path / "kafka 1" / "server.log").write_text(f"{line}\nINFO nothing of use\n")
    (tmp_path / "server.log.1.gz").write_bytes(gzip.compress(line.encode()))
    (tmp_path / "cut.log.gz").write_bytes(gzip.compress(line.encode())[:-9])
    (tmp_path / "notes.txt").write_text(line)
    reader = partial(scan.as_text, zone=UTC)
    found = read_in(spark_session, [str(tmp_path)], "*.log*", reader, scan)
    files = list(tmp_path.rglob("*.log*"))
    assert sorted(found) == sorted(reader(str(each), each.read_bytes()) for each in files)
    assert len(found) == len(files) == 3


def tables(session: Session, runs: Path, into: Path) -> dict[str, Rows]:
    """Return the rows of every table by layer, with the text and reason of unreadable lines."""
    folders = look(session.files, [paths.local(runs)])
    assert sum(folder.used for folder in folders) >= 8
    refresh(session, folders, paths.local(into), "spark.log", for_reports=False)
    found: dict[str, Rows] = {}
    for layer, contracts in LAYERS.items():
        found[layer] = {
            each.name: _stored(session, into / layer / each.name, each.schema)
            .cast(each.arrow_schema)
            .to_pylist()
            for each in contracts
        }
    kinds = sorted(folder.name for folder in (into / "bronze").iterdir())
    found["bronze"] = {
        kind: _stored(session, into / "bronze" / kind, ddl(KINDS[kind].stored)).to_pylist()
        for kind in kinds
    }
    return found


def _stored(session: Session, folder: Path, columns: str) -> pa.Table:
    return session.read(paths.local(folder), columns=columns).toArrow()


def assert_equal(name: str, one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    left, right = (sorted(rows, key=_place) for rows in (one, other))
    assert len(left) == len(right), f"{name}: {len(left)} rows, and {len(right)}"
    for a, b in zip(left, right, strict=True):
        assert _alike(a, b), f"{name}:\n{a}\n{b}"


def _place(row: dict[str, Any]) -> str:
    return repr([round(value, 6) if isinstance(value, float) else value for value in row.values()])


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=CLOSE) or (one != one and other != other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    return type(one) is type(other) and bool(one == other)


def test_every_table_of_recorded_and_odd_runs_has_the_same_rows(
    session: Session, spark_session: Session, runs: Path, tmp_path: Path
) -> None:
    embedded = tables(session, runs, tmp_path / "embedded")
    spark = tables(spark_session, runs, tmp_path / "spark")
    assert embedded.keys() == spark.keys()
    for layer, of_layer in embedded.items():
        assert of_layer.keys() == spark[layer].keys()
        for name, rows in of_layer.items():
            assert_equal(f"{layer}/{name}", rows, spark[layer][name])
    filled = {name for layer in LAYERS for name, rows in embedded[layer].items() if rows}
    assert len(filled) >= 20, sorted(filled)
    reasons = {row["wrong"] for rows in embedded["bronze"].values() for row in rows}
    assert len(reasons) >= 7, reasons


def test_each_planted_history_has_equal_anomalies(session: Session, spark_session: Session) -> None:
    histories = [planted_where_it_fits(n, n, planting) for n, planting in enumerate(ALL)]
    _assert_same(session, spark_session, histories)


@pytest.mark.long
@settings(max_examples=3)
@given(st.integers(0, 2**32), st.sampled_from([5, 0]))
def test_random_histories_have_the_same_anomalies(
    session: Session, spark_session: Session, seed: int, spoil: int
) -> None:
    _assert_same(session, spark_session, of_any_kind(120, seed), spoil)


def _assert_same(
    session: Session, spark_session: Session, histories: list[History], spoil: int = 0
) -> None:
    one, other = (check(each, histories, spoil) for each in (session, spark_session))
    assert one["anomalies"]
    for name, rows in one.items():
        assert name in CONTRACTS
        assert_equal(name, rows, other[name])
