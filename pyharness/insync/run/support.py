"""Which arms a broker version can run, by the one table of broker versions.

The table is made for the agent and lies inside of it; the build leaves a copy here.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from insync.arms import ARMS
from insync.errors import InputError

TABLE: Final = Path(__file__).parents[1] / "_built" / "broker-versions.properties"


def require_arms(arms: Sequence[str], kafka: str) -> None:
    """Check that a version can run all `arms`; raises InputError with those it can."""
    if not any(ARMS[arm].agent for arm in arms):
        return
    known = arms_of(kafka)
    for arm in arms:
        if arm not in known:
            raise InputError(f"arms: {arm}: Kafka {kafka} has only {', '.join(known)}")


def arms_of(kafka: str) -> tuple[str, ...]:
    """Return the arms that a version can run; raises InputError where no agent was built."""
    if not TABLE.is_file():
        raise InputError(f"{TABLE.name}: not built, expected in {TABLE.parent}: run `make setup`")
    row = row_of(read_table(TABLE.read_text(encoding="utf-8")), kafka)
    if row is None:
        return tuple(arm for arm, spec in ARMS.items() if not spec.agent)
    scopes = {None, *row.get("scopes", "").split(",")}
    return tuple(arm for arm, spec in ARMS.items() if spec.scope in scopes)


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
