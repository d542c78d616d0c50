"""The engine's own errors as one line for people."""

from collections.abc import Iterator
from contextlib import contextmanager

from docker.errors import APIError, DockerException

from insync.errors import InsyncError


@contextmanager
def told(what: str) -> Iterator[None]:
    """Within, what the engine refuses is an InsyncError: `what`, and why; so is its silence."""
    try:
        yield
    except (DockerException, OSError) as error:  # of its connection: OSErrors of `requests`
        raise InsyncError(f"{what}: docker: {why(error)}") from error


def why(error: Exception) -> str:
    """Return what the engine itself says, in one line, without the request that it refused."""
    said = error.explanation if isinstance(error, APIError) and error.explanation else error
    return " ".join(str(said).split())
