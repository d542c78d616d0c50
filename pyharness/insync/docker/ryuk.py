"""Ryuk, the container by which Testcontainers removes what a killed process left.

It is used where its image is at hand: fetching it may take long or be impossible, and what it
would remove the next start removes as well.
"""

import os
from typing import Final

import docker
from docker.errors import ImageNotFound
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import Reaper

DISABLED: Final = "TESTCONTAINERS_RYUK_DISABLED"


def prepare(client: docker.DockerClient) -> None:
    """Start Ryuk for this process, or have Testcontainers do without; a second call is nothing.

    To be called before containers are started side by side: each would start one.
    """
    try:
        client.images.get(testcontainers_config.ryuk_image)
    except ImageNotFound:
        os.environ[DISABLED] = "true"
    if not testcontainers_config.ryuk_disabled:
        Reaper.get_instance()
