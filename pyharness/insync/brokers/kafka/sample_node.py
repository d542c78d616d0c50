"""Configure the node that is started only to let its JVM archive the classes it loads."""

from pathlib import Path

from insync.brokers.kafka.formats import DATA, METADATA
from insync.brokers.kafka.ports import LOOPBACK
from insync.brokers.kafka.versions import Release


def settings(release: Release, folder: Path, port: int, other_port: int) -> str:
    """Return its server.properties: broker 1 at `port`, with its data in `folder`.

    `other_port` is the port of its own controller, or of its ZooKeeper.
    """
    if release.zookeeper:
        return f"""broker.id=1
zookeeper.connect={LOOPBACK}:{other_port}
listeners=PLAINTEXT://{LOOPBACK}:{port}
log.dirs={folder / DATA}
"""
    return f"""process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{LOOPBACK}:{other_port}
listeners=PLAINTEXT://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{other_port}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
log.dirs={folder / DATA}
metadata.log.dir={folder / METADATA}
"""


def started(release: Release) -> str:
    """Return the log text that says that the node has started."""
    return "[KafkaServer id=1] started" if release.zookeeper else "Kafka Server started"
