"""Check the arguments of `KafkaCluster`; an InputError says what is wrong and what is expected."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from insync.errors import InputError
from insync.nodes import BROKERS

_MOST_BROKERS: Final = 99


def brokers(value: object) -> int:
    """Return the number of brokers; raises InputError."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_BROKERS:
        raise InputError(f"brokers: {value!r}, expected a whole number from 1 to {_MOST_BROKERS}")
    return value


def text(name: str, value: object) -> str:
    """Return the argument `name`, which is a string; raises InputError."""
    if not isinstance(value, str):
        raise InputError(f"{name}: {value!r}, expected a string")
    return value


def settings(value: object) -> dict[str, str]:
    """Return broker settings as they are written to server.properties; raises InputError."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"settings: {value!r}, expected a mapping of names to values")
    return {_name(name): _setting(name, each) for name, each in value.items()}


def _name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise InputError(f"settings: the name {name!r}, expected the name of a broker config")
    return name


def _setting(name: object, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | Path):
        raise InputError(f"settings: {name}: {value!r}, expected a string, an int or a bool")
    return str(value)


def jvm(value: object) -> tuple[str, ...]:
    """Return flags of a JVM; raises InputError."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InputError(f"jvm: {value!r}, expected a list of JVM flags")
    for each in value:
        if not isinstance(each, str) or not each.startswith("-"):
            raise InputError(f"jvm: {each!r}, expected a JVM flag such as '-Xmx1g'")
    return tuple(value)


def folder(value: object) -> Path | None:
    """Return the folder of the cluster, None for a temporary one; raises InputError."""
    if value is None:
        return None
    if not isinstance(value, str | Path) or value == "":
        raise InputError(f"folder: {value!r}, expected a path")
    return Path(value)


def faults(value: object, brokers: int) -> tuple[str, ...]:
    """Return the names of fault kinds, each once; raises InputError."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InputError(f"faults: {value!r}, expected a list of fault kinds")
    if value and brokers != BROKERS:
        raise InputError(f"brokers: {brokers}, expected {BROKERS} with faults")
    return tuple(dict.fromkeys(text("faults", each) for each in value))
