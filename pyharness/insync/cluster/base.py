"""What every cluster can do, wherever its nodes run."""

from collections.abc import Mapping
from types import TracebackType
from typing import Protocol, Self

from insync.cluster.node import Node


class Cluster(Protocol):
    """A fresh cluster, started on entering the `with` block and gone when it is left.

    One controller (`properties.CONTROLLER_ID`), brokers from 1 on, and before KRaft a
    ZooKeeper. Entering raises InsyncError, with the last lines of its log, when a node does
    not start.
    """

    @property
    def nodes(self) -> Mapping[int, Node]:
        """The nodes as they run now, by their id."""

    @property
    def bootstrap(self) -> str:
        """The brokers' addresses, for clients on this host."""

    @property
    def controller(self) -> Node:
        """The one controller."""

    @property
    def zookeeper(self) -> Node:
        """The one ZooKeeper; KeyError where the brokers have none."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def stop(self) -> None:
        """Kill every node and wait until all are gone; may be called again.

        Killed together, so that nobody sees another one leave and writes that down. What the
        controller wrote before is with the kernel by then and stays readable.
        """

    def kill(self, number: int) -> None:
        """Kill one node and wait until it is gone."""

    def restart(self, number: int) -> None:
        """Start a killed broker again, in its folder and at its port; it serves some time later.

        On KRaft not before the end of its old session, on ZooKeeper at once.
        """

    def remove_data(self) -> None:
        """Remove the stopped nodes' data and leave their settings and logs."""
