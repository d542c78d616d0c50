"""Call the bridge of a running broker with typed methods; the only Python code that uses py4j.

Example:
    with BridgeClient.connect(Path("bridge-1.json")) as broker:
        print(broker.counters().pending_now)

"""

from insync_bridge._client import BridgeClient
from insync_bridge._connection import BridgeError, Connection, ConnectionFileError
from insync_bridge._model import (
    Counters,
    Fetchers,
    HoldState,
    OwnReplica,
    PartitionState,
    PendingMark,
    ReplicaState,
    StepDownCounters,
)

__all__ = [
    "BridgeClient",
    "BridgeError",
    "Connection",
    "ConnectionFileError",
    "Counters",
    "Fetchers",
    "HoldState",
    "OwnReplica",
    "PartitionState",
    "PendingMark",
    "ReplicaState",
    "StepDownCounters",
]
