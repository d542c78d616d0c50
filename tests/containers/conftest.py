"""Fixtures of the container tests: the local Docker engine, and the default version's image.

Without an engine they are skipped, in one line that says what to install; where
INSYNC_REQUIRE_CONTAINERS is set, as in CI, they fail instead.
"""

import os
from collections.abc import Iterator
from contextlib import closing
from functools import cache

import docker
import pytest

from host_base import host_base
from insync.brokers.docker.engine import client
from insync.brokers.images import image as images
from insync.brokers.images.image import Image, build, prepare
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import find_java
from insync.brokers.kafka.resolve import distribution
from insync.brokers.kafka.versions import DEFAULT
from insync.errors import InputError


@cache
def problem() -> str | None:
    """Return why there is no engine to use."""
    try:
        client().close()
    except InputError as error:
        return str(error)
    return None


def pytest_runtest_setup() -> None:
    """Skip here, not in a fixture: the summary then has one line for all tests of this folder."""
    if not os.environ.get("INSYNC_REQUIRE_CONTAINERS") and problem():
        pytest.skip(str(problem()))


@pytest.fixture(scope="session")
def engine() -> Iterator[docker.DockerClient]:
    with closing(client()) as found:
        yield found


@pytest.fixture(scope="session")
def dist() -> Distribution:
    return distribution(DEFAULT, find_java())


@pytest.fixture(scope="session")
def image(engine: docker.DockerClient, dist: Distribution) -> Image:
    """Return the image of the default version; build it if it is missing."""
    build(engine, dist, prepare(engine, host_base(engine), print), print)
    return images.require(dist.release)
