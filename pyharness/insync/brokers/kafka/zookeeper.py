"""The ZooKeeper server of brokers that need one: the version that comes with their jars."""

from pathlib import Path

from insync.brokers.kafka.ports import LOOPBACK

MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
FLAGS = (
    # What it wrote is with the kernel, and outlives a kill; the machine's own end does not matter.
    "-Dzookeeper.forceSync=no",
    # Its log is padded with zeros by so many KiB at a time; the default is 64 MiB.
    "-Dzookeeper.preAllocSize=1024",
    # It looks for log4j 1 else.
    "-Dzookeeper.jmx.log4j.disable=true",
)


def settings(data: Path, port: int, host: str = LOOPBACK) -> dict[str, str]:
    """Return what the server's configuration file says; `data` is for its log and snapshots.

    It listens at that port of that host alone.
    """
    return {
        "dataDir": str(data),
        "clientPortAddress": host,
        "clientPort": str(port),
        # How finely the end of a session is timed.
        "tickTime": "500",
        # By default it allows a session 20 ticks at most.
        "maxSessionTimeout": "60000",
        "admin.enableServer": "false",
    }
