"""Read the connection file, with which a client finds a broker's bridge."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from insync.errors import InputError, InsyncError

API_VERSION = 3


class BridgeError(InsyncError):
    """The bridge cannot be reached or refuses the call; the message is one line."""


class ConnectionFileError(BridgeError, InputError):
    """The connection file that was named is missing, invalid, or of another API version."""


@dataclass(frozen=True)
class Connection:
    """A bridge's address and token; repr() omits the token."""

    api_version: int
    broker: int
    host: str
    port: int
    pid: int
    token: str = field(repr=False)

    @classmethod
    def read(cls, path: Path) -> Connection:
        """Read a connection file.

        Raises:
            ConnectionFileError: the file does not exist, is invalid, or has another API version.

        """
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            connection = cls(
                api_version=_whole(fields, "api_version"),
                broker=_whole(fields, "broker"),
                host=_text(fields, "host"),
                port=_whole(fields, "port"),
                pid=_whole(fields, "pid"),
                token=_text(fields, "token"),
            )
        except OSError as unreadable:
            raise ConnectionFileError(
                f"connection file {path}: {unreadable.strerror}; expected the file that a broker "
                "with the agent option bridge=FILE writes"
            ) from unreadable
        except (ValueError, KeyError, TypeError, RecursionError) as broken:
            raise ConnectionFileError(
                f"connection file {path}: {broken}; expected JSON with api_version, broker, host, "
                "port, token and pid"
            ) from broken
        if connection.api_version != API_VERSION:
            raise ConnectionFileError(
                f"connection file {path}: api_version {connection.api_version}, "
                f"expected {API_VERSION}"
            )
        return connection


def _whole(fields: dict[str, object], name: str) -> int:
    value = fields[name]
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, not an integer")
    return value


def _text(fields: dict[str, object], name: str) -> str:
    value = fields[name]
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, not a string")
    return value
