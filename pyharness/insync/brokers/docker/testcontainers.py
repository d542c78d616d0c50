"""Testcontainers told to use our engine, and Ryuk only where it can.

Ryuk is the container that removes what a killed process left. It is used where its image is at
hand: to fetch it may take long or be impossible, and what it would remove the next start of a
cluster removes as well.
"""

import os
from typing import Final

import docker
from docker.errors import ImageNotFound
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import Reaper

from insync.brokers.docker.engine import DEFAULT, HOST_VARIABLE

NO_RYUK: Final = "TESTCONTAINERS_RYUK_DISABLED"


def prepare(client: docker.DockerClient) -> None:
    """Make Testcontainers ready in this process; a second call does nothing.

    To be called before containers are started side by side: each would start a Ryuk.
    """
    # Else it would follow the docker command's current context, which may be another engine.
    os.environ.setdefault(HOST_VARIABLE, DEFAULT)
    try:
        client.images.get(testcontainers_config.ryuk_image)
    except ImageNotFound:
        os.environ[NO_RYUK] = "true"
    if not testcontainers_config.ryuk_disabled:
        Reaper.get_instance()
