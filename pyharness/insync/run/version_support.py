"""Finds which arms a broker version can run, from the table of broker versions.

The agent's build keeps the table; a copy of it is in this package.
"""

from collections.abc import Mapping, Sequence

from insync.arms import ARMS, ArmSpec, find_arm
from insync.artifacts import VERSIONS_TABLE, built
from insync.brokers.kafka.builds import find, undefined
from insync.brokers.kafka.versions import Release, numbers
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
            why = _why(spec, _row_of(find(kafka))) if spec else ""
            raise InputError(f"arms: {name}: Kafka {kafka} has only {', '.join(known)}{why}")


def arms_of(kafka: str) -> tuple[str, ...]:
    """Return the arms that a version can run; raises InputError if no agent was built."""
    release = find(kafka)
    row = _row_of(release)
    return tuple(
        arm
        for arm, spec in ARMS.items()
        if (not spec.agent or (row is not None and not _lacking(spec, row)))
        and (spec.elr or release.elr)
        and not (spec.defined and undefined(release, spec.defined))
    )


def _row_of(release: Release) -> dict[str, str] | None:
    table = read_table(built(VERSIONS_TABLE).read_text(encoding="utf-8"))
    return row_of(table, release.version)


def _lacking(spec: ArmSpec, row: Mapping[str, str]) -> list[str]:
    """Return what an arm needs that a version lacks, by the keys of the table."""
    needs = spec.needs.items()
    return [f"{key}={value}" for key, value in needs if value not in row.get(key, "").split(",")]


def _why(spec: ArmSpec, row: Mapping[str, str] | None) -> str:
    """Say why a version lacks an arm."""
    if not spec.elr:
        return "; without eligible leader replicas that is stock"
    if not spec.agent:
        return ""
    if row is None:
        return "; the agent has no adapter for this version"
    lacking = _lacking(spec, row)
    return f"; there the agent lacks {', '.join(lacking)}" if lacking else ""


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
