"""Build the server.properties of nodes, with settings for short runs on a small machine."""

from collections.abc import Mapping
from pathlib import Path

from insync.brokers.kafka.formats import DATA, METADATA

ZOOKEEPER_ID = 99
COORDINATORS = 3
"""Partitions of `__transaction_state`: one for each broker to lead."""
_SERVING = {
    # An automatically created topic would hide a mistyped name.
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    # The default of 128 MiB would be zeroed at every start, and the heap is 256 MiB.
    "log.cleaner.dedupe.buffer.size": str(4 << 20),
    "num.io.threads": "4",
    "num.network.threads": "2",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": str(COORDINATORS),
}


Settings = Mapping[str, str]


def controller(
    number: int, folder: Path, voters: str, listeners: Settings, settings: Settings
) -> dict[str, str]:
    """Return the settings of controller `number`; `settings` override the ones from here.

    `voters` are all controllers, as ID@HOST:PORT; `listeners` are its listener settings.
    """
    return {
        **_on_kraft("controller", number, folder, voters),
        **listeners,
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT",
        # A single candidate needs no long election timeout; several would elect in vain.
        **({} if "," in voters else {"controller.quorum.election.timeout.ms": "100"}),
        **settings,
        "log.dirs": _log_dirs(folder, settings),
    }


def broker(
    number: int, folder: Path, quorum: str, listeners: Settings, settings: Settings,
    *, zookeeper: bool = False,
) -> dict[str, str]:  # fmt: skip
    """Return the settings of broker `number`; `settings` override the ones from here.

    `quorum` are the controllers, as ID@HOST:PORT, or the HOST:PORT of the `zookeeper`. `listeners`
    are the broker's listener settings.
    """
    session_ms = int(settings.get("broker.session.timeout.ms", "9000"))
    on_zookeeper = {
        "broker.id": str(number),
        "zookeeper.connect": quorum,
        # A client sends a heartbeat only every third of the session. So it is 1.5 times KRaft's
        # timeout, or its default: a frozen broker keeps its session at least as long.
        "zookeeper.session.timeout.ms": str(session_ms * 3 // 2),
    }
    on_kraft = {
        **_on_kraft("broker", number, folder, quorum),
        "group.coordinator.threads": "1",
    }
    return {
        **(on_zookeeper if zookeeper else on_kraft),
        **listeners,
        **_SERVING,
        **settings,
        "log.dirs": _log_dirs(folder, settings),
    }


def text(settings: Settings) -> str:
    """Return the text of a Java properties file, escaped because Java reads it as Latin-1."""
    return "".join(f"{key}={_escaped(value)}\n" for key, value in settings.items())


def _log_dirs(folder: Path, settings: Settings) -> str:
    """Return the log directories of the node in `folder`, below which relative ones are."""
    names = settings.get("log.dirs", DATA).split(",")
    return ",".join(str(folder / name) for name in names)


def _on_kraft(role: str, number: int, folder: Path, voters: str) -> dict[str, str]:
    return {
        "process.roles": role,
        "node.id": str(number),
        "controller.quorum.voters": voters,
        "controller.listener.names": "CONTROLLER",
        # Apart from the data, so that a stalled data disk does not stall the metadata.
        "metadata.log.dir": str(folder / METADATA),
    }


def _escaped(value: str) -> str:
    value = value.replace("\\", "\\\\")
    if value.startswith(" "):
        value = "\\" + value
    units = value.encode("utf-16-be")
    pairs = (int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2))
    return "".join(chr(unit) if 32 <= unit < 127 else f"\\u{unit:04x}" for unit in pairs)
