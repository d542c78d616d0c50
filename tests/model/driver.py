"""A leader in a JVM without a cluster: Kafka's own classes, with the agent or without."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from insync_bridge import BridgeClient

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "plugin-java" / "agent" / "build"
CLASS_PATH = BUILD / "driver.classpath"
AGENT = BUILD / "libs" / "insync-agent.jar"
MAIN = "insync.broker.Driver"
START_TIMEOUT_S = 120.0
#: Nothing here runs long enough to be worth compiling well.
JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")


class Driver(BridgeClient):
    """The DriverApi of Driver.java: one Python call per operation, each answered in JSON."""

    def do(self, operation: str, *arguments: object) -> dict[str, Any]:
        """Do one operation; return what happened in it ("trace") and the state after it."""
        return dict(self._json(operation, *arguments))


@contextmanager
def started(folder: Path, *, agent: bool) -> Iterator[Driver]:
    """Start the JVM, with the agent or stock; logs and the connection file go into the folder."""
    if not (CLASS_PATH.is_file() and AGENT.is_file()):
        subprocess.run(
            ["gradle", "-q", "--no-daemon", ":agent:driverClassPath"], cwd=ROOT, check=True
        )
    java = shutil.which("java")
    assert java is not None
    file = folder / "driver.json"
    weave = (f"-javaagent:{AGENT}",) if agent else ()
    with (folder / "driver.log").open("w") as log:
        jvm = subprocess.Popen(
            [java, *JVM, *weave, "-cp", CLASS_PATH.read_text(), MAIN, str(folder), str(file)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
        )
    try:
        end = time.monotonic() + START_TIMEOUT_S
        while not file.exists():
            assert jvm.poll() is None, f"the JVM ended at its start, see {log.name}"
            assert time.monotonic() < end, f"no connection file, see {log.name}"
            time.sleep(0.02)
        driver = Driver.connect(file)
        try:
            yield driver
        finally:
            driver.close()
    finally:
        assert jvm.stdin is not None
        jvm.stdin.close()
        jvm.wait(10)
