"""Clusters with SASL/SCRAM and Kafka's StandardAuthorizer, their users and ACLs."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)
from confluent_kafka.cimpl import NewTopic

from insync.brokers.cluster.admin import await_state
from insync.brokers.cluster.links.proxies import Links
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import AgentSpec, NodeExtras
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.formats import make_templates
from integration.lab import ALL, GROUP, LAG, TOPIC, WITHIN_S, Lab

SCRAM = "SCRAM-SHA-256"
SUPER = "super.users"
CLUSTER, ON_TOPIC = (ResourceType.BROKER, "kafka-cluster"), (ResourceType.TOPIC, TOPIC)
LOGIN = (
    "org.apache.kafka.common.security.scram.ScramLoginModule required"
    ' username="broker" password="of-broker";'
)
USERS = ("admin", "broker", "client")
SETTINGS = {
    "listener.security.protocol.map": (
        "PLAINTEXT:PLAINTEXT,REPLICATION:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT"
    ),
    "sasl.enabled.mechanisms": SCRAM,
    "sasl.mechanism.inter.broker.protocol": SCRAM,
    "sasl.mechanism.controller.protocol": SCRAM,
    "listener.name.replication.scram-sha-256.sasl.jaas.config": LOGIN,
    "listener.name.controller.scram-sha-256.sasl.jaas.config": LOGIN,
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "false",
    SUPER: "User:admin;User:broker",
}


def login(user: str) -> dict[str, str]:
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": SCRAM,
        "sasl.username": user,
        "sasl.password": f"of-{user}",
    }


def secured(lab: Lab) -> str:
    """Return the addresses of the brokers' listeners with SASL, from their settings."""
    found = []
    for number in ALL:
        text = (lab.cluster.nodes[number].folder / "server.properties").read_text(encoding="ascii")
        (line,) = [each for each in text.splitlines() if each.startswith("advertised.listeners=")]
        found.append(line.partition("REPLICATION://")[2])
    return ",".join(found)


@contextmanager
def with_scram(
    dist: Distribution, folder: Path, agent: AgentSpec, extras: dict[int, NodeExtras]
) -> Iterator[Lab]:
    scratch, made = folder / "scratch", replace(dist, formats=folder / "formats")
    scratch.mkdir()
    made.formats.mkdir()
    users = [f"{SCRAM}=[name={user},password=of-{user}]" for user in USERS]
    make_templates(made, scratch, [word for each in users for word in ("--add-scram", each)])
    agent = replace(agent, holds=True)
    with (
        Links([]) as links,
        LocalCluster(
            made, folder / "nodes", agent=agent, links=links, extras=extras,
            settings={**LAG, **SETTINGS},
        ) as cluster,
    ):  # fmt: skip
        yield Lab(cluster, agent)


def allow(
    admin: AdminClient, user: str, on: tuple[ResourceType, str], *operations: AclOperation
) -> None:
    for operation in operations:
        binding = AclBinding(
            *on, ResourcePatternType.LITERAL, f"User:{user}", "*", operation,
            AclPermissionType.ALLOW,
        )  # fmt: skip
        for answer in admin.create_acls([binding]).values():
            answer.result(WITHIN_S)


def prepare(lab: Lab) -> AdminClient:
    """Add the ACLs of the test's own clients, as the administrator."""
    admin = AdminClient({"bootstrap.servers": secured(lab), "log_level": 0, **login("admin")})
    allow(admin, "client", ON_TOPIC, AclOperation.READ, AclOperation.WRITE)
    allow(admin, "client", (ResourceType.GROUP, GROUP), AclOperation.READ)
    allow(admin, "ANONYMOUS", ON_TOPIC, AclOperation.DESCRIBE)
    configs = (AclOperation.ALTER_CONFIGS, AclOperation.DESCRIBE_CONFIGS)
    allow(admin, "ANONYMOUS", CLUSTER, *configs)
    return admin


def create(lab: Lab, admin: AdminClient) -> None:
    new = NewTopic(TOPIC, 2, replica_assignment=[ALL, [2, 3, 1]])
    admin.create_topics([new])[TOPIC].result(WITHIN_S)
    full = {0: (1, ALL), 1: (2, ALL)}
    until = time.monotonic() + WITHIN_S
    last = await_state(lab.cluster.bootstrap, TOPIC, lambda now: now.partitions == full, until)
    assert last is None


def as_client(lab: Lab) -> dict[str, str]:
    """Return what a `Lab` needs to write as the user `client`."""
    return {"bootstrap.servers": secured(lab), **login("client")}
