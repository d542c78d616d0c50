"""A leader in a JVM without a cluster: Kafka's own classes, with the agent or without."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from insync_bridge import BridgeClient
from patched_kafka import patched_libs
from processes import ROOT, class_path, jvm_with_bridge

BUILD = ROOT / "plugin-java" / "agent" / "build"
CLASS_PATH = BUILD / "driver.classpath"
AGENT = BUILD / "libs" / "insync-agent.jar"
MAIN = "insync.broker.Driver"
#: Nothing here runs long enough to be worth compiling well.
JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")


def _with_agent(jars: str, agent: Path) -> str:
    """Return a class path with another agent's jar in place of the built one.

    A JVM looks for the agent's classes on the class path, and in the jar of -javaagent after it:
    with both jars it would run the one on the class path.
    """
    found = jars.split(":")
    assert str(AGENT) in found
    return ":".join(str(agent) if jar == str(AGENT) else jar for jar in found)


def _patched(jars: str) -> str:
    """Return a class path with the patched jars."""
    own = {jar.name: str(jar) for jar in patched_libs().glob("*.jar")}
    found = jars.split(":")
    assert any(Path(jar).name in own for jar in found)
    return ":".join(own.get(Path(jar).name, jar) for jar in found)


class Driver(BridgeClient):
    """The DriverApi of Driver.java: one Python call per operation, each answered in JSON."""

    def do(self, operation: str, *arguments: object) -> dict[str, Any]:
        """Do one operation; return what happened in it ("trace") and the state after it."""
        return dict(self._json(operation, *arguments))


@contextmanager
def started(folder: Path, *, agent: Path | None, patched: bool = False) -> Iterator[Driver]:
    """Start the JVM, with an agent or stock; logs and the connection file go into the folder.

    With `patched` the jars of the source patch are in place of Kafka's own.
    """
    jars = class_path(CLASS_PATH, ":agent:driverClassPath", AGENT)
    if patched:
        jars = _patched(jars)
    if agent is not None:
        jars = _with_agent(jars, agent)
    file = folder / "driver.json"
    weave = () if agent is None else (f"-javaagent:{agent}",)
    arguments = [*JVM, *weave, "-cp", jars, MAIN, str(folder), str(file)]
    with (
        (folder / "driver.log").open("w") as log,
        jvm_with_bridge(arguments, file, log),
        closing(Driver.connect(file)) as driver,
    ):
        yield driver
