"""Call the broker's BridgeApi over py4j: one method per call, answers parsed into types."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self

from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError

from insync_bridge._connection import BridgeError, Connection
from insync_bridge._model import Counters, Fetchers, HoldState, OwnReplica, PartitionState

#: A bridge is on the same host and answers from memory, so a later answer means a frozen broker.
READ_TIMEOUT_S = 10.0


class BridgeClient:
    """A connection to one broker's bridge; only one thread at a time may use it."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._gateway = JavaGateway(
            gateway_parameters=GatewayParameters(
                address=connection.host,
                port=connection.port,
                auth_token=connection.token,
                auto_convert=False,
                read_timeout=READ_TIMEOUT_S,
            )
        )

    @classmethod
    def connect(cls, connection_file: Path) -> Self:
        """Connect with a broker's connection file and check that the bridge answers.

        Raises:
            ConnectionFileError: the file is unusable.
            BridgeError: nothing answers at its port, or its token is wrong.

        """
        client = cls(Connection.read(connection_file))
        try:
            client._call("apiVersion")
        except BridgeError:
            client.close()
            raise
        return client

    def broker_id(self) -> int:
        """Return the broker's id."""
        return int(self._call("brokerId"))

    def broker_version(self) -> str:
        """Return the broker's Kafka version, such as 4.3.1."""
        return str(self._call("brokerVersion"))

    def settings(self) -> dict[str, Any]:
        """Return the current values of the feature's configs in this broker."""
        return dict(self._json("settings"))

    def counters(self) -> Counters:
        """Return marks, holds, errors, dropped events and step-downs since the broker's start."""
        return Counters.of(self._json("counters"))

    def led_partitions(self, topic: str = "") -> list[tuple[str, int]]:
        """Return (topic, partition) of each partition it leads, of one topic or of all topics."""
        names = (str(name).rpartition("-") for name in self._json("ledPartitions", topic))
        return [(name, int(number)) for name, _, number in names]

    def replicas(self, topic: str, partition: int) -> PartitionState | None:
        """Return the partition as its leader sees it, or None if this broker does not lead it."""
        answer = self._json("replicas", topic, partition)
        return None if answer is None else PartitionState.of(answer)

    def own_replica(self, topic: str, partition: int) -> OwnReplica | None:
        """Return the broker's replica of a partition, or None if it has none."""
        answer = self._json("ownReplica", topic, partition)
        return None if answer is None else OwnReplica(**answer)

    def fetchers(self) -> Fetchers:
        """Return the live fetcher threads, and the partitions that they marked as failed."""
        return Fetchers.of(self._json("fetchers"))

    def hold(self, point: str, *, replica: int = -1, partition: str = "", max_ms: int) -> None:
        """Stop the next thread that reaches the pause point `point`, for at most `max_ms`.

        `replica` and `partition`, if given, select the thread. Raises BridgeError if pause points
        are not enabled in the broker's agent.
        """
        self._call("hold", point, replica, partition, max_ms)

    def release(self, point: str) -> None:
        """Release the thread that waits at `point`; later threads do not stop there."""
        self._call("release", point)

    def holds(self) -> dict[str, HoldState]:
        """Return, by pause point, the state of the last request to stop a thread there."""
        return {point: HoldState(**state) for point, state in self._json("holds").items()}

    def close(self) -> None:
        """Close the connection; the broker still accepts other connections."""
        self._gateway.close()

    def __enter__(self) -> BridgeClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _json(self, method: str, *arguments: object) -> Any:
        return json.loads(str(self._call(method, *arguments)))

    def _call(self, method: str, *arguments: object) -> Any:
        try:
            return getattr(self._gateway.entry_point, method)(*arguments)
        except (Py4JError, OSError) as failed:
            to = self.connection
            where = f"bridge of broker {to.broker} at {to.host}:{to.port}"
            words = " ".join(str(failed).split()) or type(failed).__name__
            raise BridgeError(f"{where}: {method} failed: {words}") from failed
