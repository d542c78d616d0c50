"""Remove our containers and networks by label: those of one cluster, or of dead harnesses."""

from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import docker
from docker.errors import APIError, DockerException

from insync import owner
from insync.brokers.docker.process import copy_log

OWNER: Final = "insync.owner"
CLUSTER: Final = "insync.cluster"
LOG: Final = "insync.log"
# HTTP statuses for things that another harness is removing: "forbidden" (a network that still
# has containers), "not found", "conflict".
_NOT_NOW: Final = (403, 404, 409)


def labels(cluster: str, log: Path | None = None) -> dict[str, str]:
    """Return the labels for parts of this process's `cluster`; only containers have a `log`."""
    named = {OWNER: owner.mine(), CLUSTER: cluster}
    return named if log is None else {**named, LOG: str(log)}


def remove(client: docker.DockerClient, cluster: str) -> None:
    """Remove the containers of a cluster, then its network."""
    marked = {"label": f"{CLUSTER}={cluster}"}
    for container in client.containers.list(all=True, filters=marked, ignore_removed=True):
        _remove(container, force=True, v=True)
    for network in client.networks.list(filters=marked):
        _remove(network)


def sweep(client: docker.DockerClient) -> None:
    """Remove what ended harnesses left behind; save the logs of their containers first."""
    marked = {"label": OWNER}
    for container in client.containers.list(all=True, filters=marked, ignore_removed=True):
        if owner.is_gone(container.labels[OWNER]):
            _save_log(container)
            _remove(container, force=True, v=True)
    for network in client.networks.list(filters=marked):
        if owner.is_gone(network.attrs["Labels"][OWNER]):
            _remove(network)


def _save_log(container: Any) -> None:
    """Kill a container and save its log in the file that its label names, if possible."""
    with suppress(APIError):  # it has already ended
        container.kill()
    with suppress(DockerException, OSError):  # its folder is gone, or full
        copy_log(container, Path(container.labels[LOG]))


def _remove(thing: Any, **how: bool) -> None:
    try:
        thing.remove(**how)
    except APIError as error:
        if error.status_code not in _NOT_NOW:
            raise
