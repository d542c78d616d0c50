"""Runs the embedded engine: Sail, a Spark Connect server inside this process.

It has no JVM and starts in a tenth of a second. Its queries spill to temporary files when they need
more than `options.MOST_MEMORY`.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession

from insync.analysis.engine.options import MOST_MEMORY

_SETTINGS = {
    # Its messages go to standard error; errors reach the caller anyway.
    "RUST_LOG": "off",
    "SAIL_RUNTIME__MEMORY_POOL__TYPE": "fair",
    "SAIL_RUNTIME__MEMORY_POOL__FAIR__MAX_SIZE": str(MOST_MEMORY),
}


@contextmanager
def running() -> Iterator[SparkSession]:
    """Yield a session of an engine that ends with the block."""
    server = _server()
    server.start(background=True)
    try:
        _, port = server.listening_address
        with connected(f"sc://127.0.0.1:{port}") as spark:
            yield spark
    finally:
        server.stop()


@contextmanager
def connected(url: str) -> Iterator[SparkSession]:
    """Yield a new session of a Spark Connect server, which is on this machine.

    An error is reported at once: PySpark's client retries for ten minutes by default, also when
    this process exits.
    """
    from pyspark.sql.connect.session import SparkSession as Connected

    session: Any = Connected.builder.remote(url).create()
    session.client.set_retry_policies([])
    try:
        yield session
    finally:
        session.stop()


def _server() -> Any:
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    os.environ.setdefault("SAIL_RUNTIME__TEMPORARY_FILES__PATHS", f'["{tempfile.gettempdir()}"]')
    from pysail.spark import SparkConnectServer

    return SparkConnectServer()
