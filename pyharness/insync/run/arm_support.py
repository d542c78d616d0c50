"""Finds which arms a broker version can run, from the table of broker versions.

The agent's build keeps the table; a copy of it is in this package.
"""

from collections.abc import Mapping, Sequence

from insync.arms import ARMS, ArmSpec, find_arm
from insync.artifacts import VERSIONS_TABLE, built
from insync.brokers.kafka.builds import find, undefined
from insync.brokers.kafka.versions import numbers
from insync.errors import InputError


def require_arms(arms: Sequence[str], kafka: str) -> None:
    """Check that a version can run all `arms`; raises InputError with those it can."""
    asked = [(name, find_arm(name)) for name in arms]
    for name, spec in asked:
        defined = [] if spec is None else spec.defined
        if defined and (missing := undefined(find(kafka), defined)):
            raise InputError(
                f"arms: {name}: Kafka {kafka} does not define {missing}, expected a build that does"
            )
    if all(spec is not None and not spec.agent and spec.elr for _, spec in asked):
        return
    known = arms_of(kafka)
    for name, spec in asked:
        if spec is None or spec.name not in known:
            why = _why(spec) if spec else ""
            raise InputError(f"arms: {name}: Kafka {kafka} has only {', '.join(known)}{why}")


def arms_of(kafka: str) -> tuple[str, ...]:
    """Return the arms that a version can run; raises InputError if no agent was built."""
    release = find(kafka)
    row = row_of(read_table(built(VERSIONS_TABLE).read_text(encoding="utf-8")), release.version)
    return tuple(
        arm
        for arm, spec in ARMS.items()
        if _can(spec, row)
        and (spec.elr or release.elr)
        and not (spec.defined and undefined(release, spec.defined))
    )


def _can(spec: ArmSpec, row: Mapping[str, str] | None) -> bool:
    """Whether the agent supports everything that an arm needs, by the row of a version."""
    if not spec.agent:
        return True
    if row is None:
        return False
    return all(value in row.get(key, "").split(",") for key, value in spec.needs.items())


def _why(spec: ArmSpec) -> str:
    """Say why a version without eligible leader replicas lacks an arm that is about them."""
    return "" if spec.elr else "; without eligible leader replicas that is stock"


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
