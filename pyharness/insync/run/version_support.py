"""Finds which arms a broker version can run, from the table of broker versions.

The agent's build keeps the table; a copy of it is in this package.
"""

from collections.abc import Mapping, Sequence

from insync.arms import ARMS, ArmSpec
from insync.artifacts import VERSIONS_TABLE, built
from insync.brokers.kafka.builds import find, undefined
from insync.brokers.kafka.versions import Release, numbers
from insync.errors import InputError


def require_arms(arms: Sequence[str], kafka: str) -> None:
    """Check that a version can run all `arms`; raises InputError with those it can."""
    release = find(kafka)
    for name in arms:
        spec = ARMS.get(name)
        why = "" if spec is None else _why_not(spec, release)
        if why is not None:
            known = ", ".join(arms_of(kafka))
            raise InputError(f"arms: {name}: Kafka {kafka} has only {known}{why}")


def arms_of(kafka: str) -> tuple[str, ...]:
    """Return the arms that a version can run; raises InputError if no agent was built."""
    release = find(kafka)
    return tuple(arm for arm, spec in ARMS.items() if _why_not(spec, release) is None)


def _why_not(spec: ArmSpec, release: Release) -> str | None:
    """Say why a version cannot run an arm, if so."""
    if spec.defined and (missing := undefined(release, spec.defined)):
        return f"; it does not define {missing}"
    if not (spec.elr or release.elr):
        return "; without eligible leader replicas that is stock"
    if not spec.agent:
        return None
    table = read_table(built(VERSIONS_TABLE).read_text(encoding="utf-8"))
    row = row_of(table, release.version)
    if row is None:
        return "; the agent has no adapter for this version"
    lacking = [
        f"{key}={value}"
        for key, value in spec.needs.items()
        if value not in row.get(key, "").split(",")
    ]
    return f"; there the agent lacks {', '.join(lacking)}" if lacking else None


def read_table(text: str) -> dict[str, str]:
    """Return the keys and values of a plain Java properties file."""
    lines = (line.strip() for line in text.splitlines())
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {key.strip(): value.strip() for key, _, value in pairs}


def row_of(table: Mapping[str, str], kafka: str) -> dict[str, str] | None:
    """Return the row of the adapter whose range of versions contains a version, or None."""
    for name in table.get("adapters", "").split(","):
        prefix = f"{name}."
        row = {key.removeprefix(prefix): table[key] for key in table if key.startswith(prefix)}
        if {"from", "below"} <= row.keys() and (
            numbers(row["from"]) <= numbers(kafka) < numbers(row["below"])
        ):
            return row
    return None
