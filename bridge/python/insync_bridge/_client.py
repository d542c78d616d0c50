"""Calls of the broker's BridgeApi over py4j: one method each, answers parsed into types."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self

from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError

from insync_bridge._connection import BridgeError, Connection
from insync_bridge._model import Counters, Fetchers, HoldState, OwnReplica, PartitionState

#: A bridge is on the same host and answers from memory: later means that its broker is frozen.
READ_TIMEOUT_S = 10.0


class BridgeClient:
    """A connection to one broker's bridge. Not for use by several threads at once."""

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
        """Connect by a broker's connection file and check that the bridge answers.

        Raises:
            BridgeError: unusable file, nobody answers at its port, or another token is expected.

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
        """Return Kafka's version, such as 4.3.1."""
        return str(self._call("brokerVersion"))

    def settings(self) -> dict[str, Any]:
        """Return the feature's broker configs as this broker runs them."""
        return dict(self._json("settings"))

    def counters(self) -> Counters:
        """Return marks, holds, errors, dropped events and step-downs since the broker's start."""
        return Counters.of(self._json("counters"))

    def led_partitions(self, topic: str = "") -> list[tuple[str, int]]:
        """Return (topic, partition) of what this broker leads: of one topic, or of all."""
        names = (str(name).rpartition("-") for name in self._json("ledPartitions", topic))
        return [(name, int(number)) for name, _, number in names]

    def replicas(self, topic: str, partition: int) -> PartitionState | None:
        """Return the partition as its leader sees it, or None if this broker does not lead it."""
        answer = self._json("replicas", topic, partition)
        return None if answer is None else PartitionState.of(answer)

    def own_replica(self, topic: str, partition: int) -> OwnReplica | None:
        """Return the broker's own replica of a partition, or None if it has none."""
        answer = self._json("ownReplica", topic, partition)
        return None if answer is None else OwnReplica(**answer)

    def fetchers(self) -> Fetchers:
        """Return which fetcher threads are alive, and what they gave up."""
        return Fetchers.of(self._json("fetchers"))

    def hold(self, point: str, *, replica: int = -1, partition: str = "", max_ms: int) -> None:
        """Let the next thread wait that passes `point`, for a replica and a partition if given.

        Raises BridgeError if the broker's agent was not told to weave such points in.
        """
        self._call("hold", point, replica, partition, max_ms)

    def release(self, point: str) -> None:
        """Let the thread that waits at `point` go on; none is held there any more."""
        self._call("release", point)

    def holds(self) -> dict[str, HoldState]:
        """Return by point what became of the last hold."""
        return {point: HoldState(**state) for point, state in self._json("holds").items()}

    def close(self) -> None:
        """Close the connection; the broker's side stays open for others."""
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
