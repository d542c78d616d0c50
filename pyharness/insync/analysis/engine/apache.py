"""Runs Apache Spark: its JVM with a Spark Connect server, on any master.

This module alone calls the JVM: to start and end it, and for the files of Hadoop's file systems.
What Spark and its JVM print goes to a log file. A local master binds to loopback only.
"""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from insync.analysis.engine import CONNECT_ONLY, paths
from insync.analysis.engine.embedded import connected
from insync.analysis.engine.files import Files, ListedFile
from insync.analysis.engine.options import LOCAL_MASTER
from insync.brokers.kafka.java import find_java
from insync.engines import AnalysisOptions
from insync.errors import InsyncError

LOOPBACK = "127.0.0.1"
_GONE_WITHIN_S = 10.0
_LOG_CONF = Path(__file__).with_name("log4j2.properties")
_LOGGING = f"-Dlog4j2.configurationFile={_LOG_CONF.as_uri()}"
# Ten times as much as usual: compiling took a third of the CPU time of 10^6 operations.
_ONLY_HOT = "-XX:Tier4InvocationThreshold=50000 -XX:Tier4CompileThreshold=150000"
_ONLY_HOT += " -XX:Tier4BackEdgeThreshold=400000"
_TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"  # noqa: S105 - the name of a variable

_ALWAYS = {
    "spark.app.name": "insync",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.connect.grpc.binding.address": LOOPBACK,
    "spark.connect.grpc.binding.port": "0",
    # An error reaches the caller as one message, without the server's stack.
    "spark.sql.connect.serverStacktrace.enabled": "false",
    # A smaller hash map before the others costs time where most keys are those of few rows.
    "spark.sql.codegen.aggregate.map.twolevel.enabled": "false",
    # Tables of many columns, whose batches Arrow would otherwise cut at 10,000 rows.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
}
_LOCAL = {
    "spark.driver.bindAddress": LOOPBACK,
    "spark.driver.host": LOOPBACK,
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": f"-XX:+UseParallelGC {_ONLY_HOT} {_LOGGING}",
    # Adaptive execution joins those that are small.
    "spark.sql.shuffle.partitions": "16",
}


def settings(options: AnalysisOptions) -> dict[str, str]:
    """Return all settings of a session; the caller's override the others."""
    master = options.master or LOCAL_MASTER
    local = _LOCAL if master.startswith("local") else {}
    return {**_ALWAYS, **local, **options.conf}


@contextmanager
def running(options: AnalysisOptions, log: Path) -> Iterator[tuple[SparkSession, Any]]:
    """Yield a session and what returns the files of a path; Spark's JVM ends with the block.

    Raises InsyncError naming `log` if Spark does not start. A process can start Spark once.
    """
    from pyspark import SparkContext
    from pyspark.sql.connect.session import SparkSession as Connected

    os.environ.setdefault("JAVA_HOME", str(find_java().home))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    master = options.master or LOCAL_MASTER
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK)
    token = os.environ.setdefault(_TOKEN, str(uuid.uuid4()))
    connect_only = os.environ.pop(CONNECT_ONLY)  # or PySpark refuses to start a JVM
    try:
        with _children_print_to(log):
            Connected._start_connect_server(master, settings(options))
        jvm: Any = SparkContext._jvm
        service = getattr(jvm, "org.apache.spark.sql.connect.service.SparkConnectService$")
        port = getattr(service, "MODULE$").localPort()  # an object of Scala
    except Exception as error:
        words = str(error).splitlines() or [type(error).__name__]
        raise InsyncError(f"Spark did not start ({words[0]}); see {log}") from error
    finally:
        os.environ[CONNECT_ONLY] = connect_only
        del os.environ[_TOKEN]  # or every other session would send it
    try:
        with connected(f"sc://localhost:{port}/;token={token}") as spark:
            yield spark, lambda path: HadoopFiles()
    finally:
        _end(SparkContext)


def _end(context: Any) -> None:
    """Stop Spark, and wait until its JVM has exited: it would outlive this process otherwise."""
    gateway, active = context._gateway, context._active_spark_context
    if active is not None:
        with suppress(Exception):
            active.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    try:
        gateway.proc.wait(_GONE_WITHIN_S)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()
    context._gateway = context._jvm = None


@contextmanager
def _children_print_to(log: Path) -> Iterator[None]:
    """Redirect the output of processes that are started inside the block to `log`."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    try:
        with log.open("wb") as target:
            os.dup2(target.fileno(), 1)
            os.dup2(target.fileno(), 2)
        yield
    finally:
        for number, saved in zip((1, 2), kept, strict=True):
            os.dup2(saved, number)
            os.close(saved)


class HadoopFiles(Files):
    """The files of any file system that Spark's JVM can reach, through Hadoop."""

    def __init__(self) -> None:
        from pyspark import SparkContext

        context: Any = SparkContext._active_spark_context
        self._jvm: Any = context._jvm
        self._gateway: Any = context._gateway
        self._conf: Any = context._jsc.hadoopConfiguration()

    def exists(self, path: str) -> bool:
        with _errors_of(path):
            return bool(self._system(path).exists(self._path(path)))

    def children(self, folder: str) -> list[str]:
        return [status.getPath().getName() for status in self._listed(folder)]

    def folders(self, folder: str) -> list[str]:
        return [s.getPath().getName() for s in self._listed(folder) if s.isDirectory()]

    def matching(self, folder: str, pattern: str) -> list[ListedFile]:
        with _errors_of(folder):
            whole = f"{paths.literal(folder)}/{pattern}"
            found = self._system(folder).globStatus(self._path(whole)) or ()
            return sorted(
                ListedFile(s.getPath().toString(), s.getLen(), s.getModificationTime())
                for s in found
            )

    def read(self, path: str) -> str:
        with _errors_of(path):
            stream = self._system(path).open(self._path(path))
            try:
                return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
            finally:
                stream.close()

    def write(self, path: str, content: str | bytes) -> None:
        data = content.encode() if isinstance(content, str) else content
        with _errors_of(path):
            stream = self._system(path).create(self._path(path), True)
            try:
                stream.write(data)
            finally:
                stream.close()

    def delete(self, folder: str) -> None:
        with _errors_of(folder):
            self._system(folder).delete(self._path(folder), True)

    def move(self, folder: str, to: str) -> None:
        with _errors_of(folder):
            moved = self._system(folder).rename(self._path(folder), self._path(to))
        if not moved:
            raise InsyncError(f"{folder}: could not be renamed to {to}")

    def qualified(self, path: str) -> str:
        with _errors_of(path):
            return str(self._system(path).makeQualified(self._path(path)).toString())

    def _listed(self, folder: str) -> list[Any]:
        with _errors_of(folder):
            listed = self._system(folder).listStatus(self._path(folder))
            return sorted(listed, key=lambda status: str(status.getPath().getName()))

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def _system(self, path: str) -> Any:
        return self._path(path).getFileSystem(self._conf)


@contextmanager
def _errors_of(path: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        java: Any = getattr(error, "java_exception", None)
        words = (
            str(error)
            if java is None
            else f"{java.getClass().getSimpleName()}: {java.getMessage()}"
        )
        first = next((line for line in words.splitlines() if line.strip()), type(error).__name__)
        raise InsyncError(f"{path}: {first}") from error
