"""The arms of a run: what each does to the brokers, and what they have in common.

Every room may know this; it knows nobody.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Arm = Literal[
    "stock", "off", "read", "request", "plugin",
    "step-down", "step-down-keep", "step-down-wild", "raised-lag", "elr-off",
    "bound", "snapshot", "both",
    "time", "messages-4", "messages-4000",
]  # fmt: skip

FEATURE: Final = "follower.fetch.pending.reads.insync.enable"
SCOPE: Final = "follower.fetch.pending.reads.insync.scope"
ISR: Final = "leader.relinquish.isr"
BOUND: Final = "follower.log.start.offset.bound.enable"
SNAPSHOT: Final = "leader.fetch.snapshot.enable"
LAG_POLICY: Final = "replica.lag.policy"
BY_TIME: Final = "time"

WILD: Final = {
    "leader.relinquish.cooldown.ms": "0",
    "leader.relinquish.budget.per.minute": "1000000",
    "leader.relinquish.score.recovery.ms": "1",
    "leader.relinquish.slow.peers.max.ratio": "1.0",
}
"""Solution 2 as the KIP leaves it: nothing keeps leaders from stepping down again and again."""


@dataclass(frozen=True, slots=True)
class ArmSpec:
    """What an arm is.

    Attributes:
        agent: whether the nodes carry the agent.
        scope: that of solution 1; None: it is off.
        relinquish: what becomes of an ex-leader's place in the ISR under solution 2; None: off.
        calm: whether that keeps itself from thrashing.
        lag_factor: how much longer replica.lag.time.max.ms is than the scenario's.
        log_start: the configs against KAFKA-7104 that are on.
        elr: whether eligible leader replicas are as the version's default has them, or off.
        lag_policy: by which rule a follower is out of sync; Kafka's own, or that of 0.8.

    """

    agent: bool
    scope: str | None = None
    relinquish: Literal["leave", "keep-last"] | None = None
    calm: bool = True
    lag_factor: int = 1
    elr: bool = True
    log_start: tuple[str, ...] = ()
    lag_policy: str = BY_TIME


ARMS: Final[Mapping[str, ArmSpec]] = {
    "stock": ArmSpec(agent=False),
    "off": ArmSpec(agent=True),
    "read": ArmSpec(agent=True, scope="read"),
    "request": ArmSpec(agent=True, scope="request"),
    # The widest protection there is, under the name that scenarios of users know it by.
    "plugin": ArmSpec(agent=True, scope="request"),
    "step-down": ArmSpec(agent=True, scope="request", relinquish="leave"),
    "step-down-keep": ArmSpec(agent=True, scope="request", relinquish="keep-last"),
    "step-down-wild": ArmSpec(agent=True, scope="request", relinquish="leave", calm=False),
    # What an operator would try instead.
    "raised-lag": ArmSpec(agent=False, lag_factor=6),
    "elr-off": ArmSpec(agent=False, elr=False),
    # KAFKA-7104: its two fixes, each alone and both.
    "bound": ArmSpec(agent=True, log_start=(BOUND,)),
    "snapshot": ArmSpec(agent=True, log_start=(SNAPSHOT,)),
    "both": ArmSpec(agent=True, log_start=(BOUND, SNAPSHOT)),
    # Lag by time is stock, under the name of what it is compared with here.
    "time": ArmSpec(agent=False),
    "messages-4": ArmSpec(agent=True, lag_policy="messages:4"),
    "messages-4000": ArmSpec(agent=True, lag_policy="messages:4000"),
}


def has_agent(arm: str) -> bool:
    """Whether the nodes of an arm carry the agent."""
    return arm in ARMS and ARMS[arm].agent


def feature_on(arm: str) -> bool:
    """Whether the feature is on in an arm."""
    return arm in ARMS and ARMS[arm].scope is not None


def steps_down(arm: str) -> bool:
    """Whether the leaders of an arm may step down."""
    return arm in ARMS and ARMS[arm].relinquish is not None


def lag_factor(arm: str) -> int:
    """Return how much longer replica.lag.time.max.ms is in an arm than its scenario's."""
    return ARMS[arm].lag_factor if arm in ARMS else 1


def lag_policy(arm: str) -> str:
    """Return by which rule the leaders of an arm find followers out of sync."""
    return ARMS[arm].lag_policy if arm in ARMS else BY_TIME


def settings(arm: str) -> dict[str, str]:
    """Return what an arm adds to every node's server.properties, its times excepted."""
    spec = ARMS[arm]
    made = {} if spec.scope is None else {FEATURE: "true", SCOPE: spec.scope}
    if spec.relinquish is not None:
        made[ISR] = spec.relinquish
    made |= dict.fromkeys(spec.log_start, "true")
    if spec.lag_policy != BY_TIME:
        made[LAG_POLICY] = spec.lag_policy
    return made if spec.calm else {**made, **WILD}


def expected_as(arm: str) -> tuple[str, ...]:
    """Return the names under which an arm's expectations may stand, its own first."""
    same = {"plugin": "request", "time": "stock"}
    return (arm, same[arm]) if arm in same else (arm,)
