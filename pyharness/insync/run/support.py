"""Which arms a broker version can run, by the one table of broker versions.

The table is made for the agent and lies inside of it; the build leaves a copy here.
"""

from collections.abc import Mapping, Sequence

from insync.arms import ARMS, BY_TIME, ArmSpec
from insync.artifacts import VERSIONS_TABLE, built
from insync.brokers.kafka.versions import find
from insync.errors import InputError


def require_arms(arms: Sequence[str], kafka: str) -> None:
    """Check that a version can run all `arms`; raises InputError with those it can."""
    if all(ARMS[arm] == ARMS["stock"] for arm in arms):
        return
    known = arms_of(kafka)
    for arm in arms:
        if arm not in known:
            raise InputError(f"arms: {arm}: Kafka {kafka} has only {', '.join(known)}{_why(arm)}")


def arms_of(kafka: str) -> tuple[str, ...]:
    """Return the arms that a version can run; raises InputError where no agent was built."""
    row = row_of(read_table(built(VERSIONS_TABLE).read_text(encoding="utf-8")), kafka)
    elr = find(kafka).elr
    return tuple(arm for arm, spec in ARMS.items() if _can(spec, row) and (spec.elr or elr))


def _can(spec: ArmSpec, row: Mapping[str, str] | None) -> bool:
    """Whether the agent, as a version's row has it, can do what an arm is."""
    if not spec.agent:
        return True
    if row is None:
        return False
    scopes = row.get("scopes", "").split(",")
    steps = row.get("step_down") == "true"
    starts = row.get("log_start") == "true"
    policies = row.get("lag_policies", BY_TIME).split(",")
    return (
        spec.scope in (None, *scopes)
        and (spec.relinquish is None or steps)
        and (not spec.log_start or starts)
        and spec.lag_policy.partition(":")[0] in policies
    )


def _why(arm: str) -> str:
    """Say what an arm is there where it is another one by its own, or nothing."""
    return "" if ARMS[arm].elr else "; without eligible leader replicas that is stock"


def read_table(text: str) -> dict[str, str]:
    """Return the keys and values of a plain Java properties file."""
    lines = (line.strip() for line in text.splitlines())
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {key.strip(): value.strip() for key, _, value in pairs}


def row_of(table: Mapping[str, str], kafka: str) -> dict[str, str] | None:
    """Return the row of the adapter whose range holds a version, or None."""
    for name in table.get("adapters", "").split(","):
        prefix = f"{name}."
        row = {key.removeprefix(prefix): table[key] for key in table if key.startswith(prefix)}
        if {"from", "below"} <= row.keys() and (
            _numbers(row["from"]) <= _numbers(kafka) < _numbers(row["below"])
        ):
            return row
    return None


def _numbers(version: str) -> tuple[int, ...]:
    """Return 4.3.1 as (4, 3, 1); a suffix such as -rc0 does not count."""
    parts = version.partition("-")[0].split(".")
    return tuple(int(part) if part.isdigit() else 0 for part in parts)
