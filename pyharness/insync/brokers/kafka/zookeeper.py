"""Configure the ZooKeeper server of old brokers; its version is the one among their jars."""

from pathlib import Path

from insync.brokers.kafka.ports import LOOPBACK

MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
FLAGS = (
    # No fsync: the kernel keeps what was written when the process is killed, which is enough.
    "-Dzookeeper.forceSync=no",
    # The log grows by this many KiB of zeros at a time; the default is 64 MiB.
    "-Dzookeeper.preAllocSize=1024",
    # Otherwise it looks for log4j 1.
    "-Dzookeeper.jmx.log4j.disable=true",
)


def settings(data: Path, port: int, host: str = LOOPBACK) -> dict[str, str]:
    """Return the server's configuration; `data` is the folder for its log and snapshots.

    It listens only at this port of this host.
    """
    return {
        "dataDir": str(data),
        "clientPortAddress": host,
        "clientPort": str(port),
        # The precision, in ms, with which sessions expire.
        "tickTime": "500",
        # The default maximum is 20 ticks.
        "maxSessionTimeout": "60000",
        "admin.enableServer": "false",
    }
