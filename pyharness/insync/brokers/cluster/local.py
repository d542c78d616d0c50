"""Run a cluster as local processes on loopback: one controller and some brokers.

Brokers that do not support KRaft get a ZooKeeper as well. No process outlives the harness.
"""

import os
import re
from contextlib import ExitStack
from typing import Final

from insync.brokers.cluster.addresses import Addresses
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.node import TEMPORARY, Node, NodePlan
from insync.brokers.cluster.ready import PortTakenError
from insync.brokers.kafka import ports, process
from insync.brokers.kafka.distribution import node_flags

_PORT: Final = re.compile(rf"//{re.escape(ports.LOOPBACK)}:(\d+)")


class LocalCluster(NodeCluster):
    """A fresh cluster; entering the `with` block starts it and leaving the block stops it.

    Entering raises InsyncError, with lines of the node's log, when a node does not start.
    """

    _kept = ExitStack()  # of the ports; empty before the start

    def stop(self) -> None:
        super().stop()
        self._kept.close()

    def _prepare(self) -> None:
        """Plan the nodes, and keep their ports for them: one that was killed starts again there."""
        super()._prepare()
        self._kept.close()
        own: set[int] = set()
        for plan in self._planned.values():
            own |= {plan.port, *map(int, _PORT.findall(plan.settings.get("listeners", "")))}
        try:
            self._kept = ports.keep(own)
        except OSError as error:
            raise PortTakenError(f"a node's port was taken: {error}") from error

    def _addresses(self) -> Addresses:
        return Addresses(self.links)

    def _run(self, plan: NodePlan) -> Node:
        flags = [*plan.flags, *node_flags(plan.folder / TEMPORARY), *plan.extras.flags]
        running = process.start(
            self.dist.command(flags, plan.main, str(plan.settings_file)),
            log=plan.log,
            folder=plan.folder,
            environment={**os.environ, **plan.extras.environment},
        )
        return plan.started(running)
