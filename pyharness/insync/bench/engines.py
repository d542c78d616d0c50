"""`python -m insync.bench.engines ENGINE DIR`: computes the pipeline's tables in DuckDB or Polars.

Reads the Parquet files of a synthetic history and prints, as `analysis.tables.measure` does, the
rows of the same tables and the seconds they took.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

TABLES: Final = ("ack_latency", "ack_gaps", "errors", "readback", "anomalies")
MEMORY_GB: Final = 3
"""The memory of DuckDB, unless another is asked for."""

_DIGITS: Final = 4
_DECADES: Final = 8

Result = dict[str, Any]


def with_duckdb(folder: Path, threads: int, memory_gb: int) -> Result:
    """Compute the tables with DuckDB's SQL; DuckDB spills to `folder`."""
    import duckdb

    con = duckdb.connect()
    con.execute(f"SET threads = {threads}; SET memory_limit = '{memory_gb}GB'")
    con.execute(f"SET temp_directory = '{folder}/duckdb.tmp'")
    for name in ("produce", "consume", "partitions"):
        con.execute(f"CREATE VIEW {name} AS FROM read_parquet('{folder}/{name}/*.parquet')")
    sql = Path(__file__).with_name("history.sql").read_text(encoding="utf-8")
    aggregates, checks = sql.format(bucket=_bucket_sql()).split("-- checks\n")
    began = time.monotonic()
    con.execute(aggregates)
    halfway = time.monotonic()
    con.execute(checks)
    tables = {name: _rows(con.execute(f"FROM {name}")) for name in TABLES}
    return _result(began, halfway, tables)


def _rows(found: Any) -> list[dict[str, Any]]:
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def _bucket_sql() -> str:
    steps = [10**decade for decade in range(1, _DECADES)]
    cases = [f"WHEN us < {10**_DIGITS} THEN us"]
    cases += [f"WHEN us < {step * 10**_DIGITS} THEN us - us % {step}" for step in steps]
    return f"CASE {' '.join(cases)} ELSE us - us % {10**_DECADES} END"


def with_polars(folder: Path, threads: int, memory_gb: int) -> Result:
    """Compute the tables with Polars, streaming if possible; it has no memory limit to set."""
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    from insync.bench import polars_tables

    began = time.monotonic()
    tables = polars_tables.aggregates(folder)
    halfway = time.monotonic()
    tables |= polars_tables.checks(folder)
    return _result(began, halfway, tables)


def _result(began: float, halfway: float, tables: dict[str, Any]) -> Result:
    return {
        "aggregates_s": halfway - began,
        "checks_s": time.monotonic() - halfway,
        "tables": tables,
    }


ENGINES: Final = {"duckdb": with_duckdb, "polars": with_polars}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one engine; print its result as JSON."""
    parser = argparse.ArgumentParser(prog="python -m insync.bench.engines", description=__doc__)
    parser.add_argument("engine", choices=sorted(ENGINES))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory-gb", type=int, default=MEMORY_GB, help="of DuckDB")
    asked = parser.parse_args(arguments)
    result = ENGINES[asked.engine](asked.folder, asked.threads, asked.memory_gb)
    json.dump(result, sys.stdout, default=int)


if __name__ == "__main__":
    main()
