"""The arms of a run: what each does to the brokers, and what they have in common.

Every room may know this; it knows nobody.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Arm = Literal["stock", "off", "read", "request", "plugin"]

FEATURE: Final = "follower.fetch.pending.reads.insync.enable"
SCOPE: Final = "follower.fetch.pending.reads.insync.scope"


@dataclass(frozen=True, slots=True)
class ArmSpec:
    """Whether an arm's brokers carry the agent, and the scope of the feature; None: it is off."""

    agent: bool
    scope: str | None


ARMS: Final[Mapping[str, ArmSpec]] = {
    "stock": ArmSpec(agent=False, scope=None),
    "off": ArmSpec(agent=True, scope=None),
    "read": ArmSpec(agent=True, scope="read"),
    "request": ArmSpec(agent=True, scope="request"),
    # The widest protection there is, under the name that scenarios of users know it by.
    "plugin": ArmSpec(agent=True, scope="request"),
}


def has_agent(arm: str) -> bool:
    """Whether the brokers of an arm carry the agent."""
    return arm in ARMS and ARMS[arm].agent


def feature_on(arm: str) -> bool:
    """Whether the feature is on in an arm."""
    return arm in ARMS and ARMS[arm].scope is not None


def settings(arm: str) -> dict[str, str]:
    """Return what an arm adds to every node's server.properties."""
    scope = ARMS[arm].scope
    return {} if scope is None else {FEATURE: "true", SCOPE: scope}


def expected_as(arm: str) -> tuple[str, ...]:
    """Return the names under which an arm's expectations may stand, its own first."""
    return (arm, "request") if arm == "plugin" else (arm,)
