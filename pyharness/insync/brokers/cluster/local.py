"""Run a cluster as local processes on loopback: one controller and some brokers.

Brokers that do not support KRaft get a ZooKeeper as well. No process outlives the harness.
"""

import os

from insync.brokers.cluster.addresses import Addresses, OnLoopback
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.links.listeners import LinkedOnLoopback
from insync.brokers.cluster.node import TEMPORARY, Node, NodePlan
from insync.brokers.kafka import process
from insync.brokers.kafka.jvm import node_flags


class LocalCluster(NodeCluster):
    """A fresh cluster; entering the `with` block starts it and leaving the block stops it.

    Entering raises InsyncError, with lines of the node's log, when a node does not start.
    """

    addresses = OnLoopback()

    def _addresses(self) -> Addresses:
        return self.addresses if self._links is None else LinkedOnLoopback(self._links)

    def _run(self, plan: NodePlan) -> Node:
        flags = [*plan.flags, *node_flags(plan.folder / TEMPORARY), *plan.extras.flags]
        running = process.start(
            self._dist_of(plan.id).command(flags, plan.main, str(plan.settings_file)),
            log=plan.log,
            folder=plan.folder,
            environment={**os.environ, **plan.extras.environment},
        )
        return plan.started(running)
