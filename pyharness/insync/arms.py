"""The table of arms: what each arm changes in the brokers, and what it requires of their version.

Scenarios, runs, the analysis and the reports take everything about an arm from here.
`python -m insync.arms` prints it as Markdown.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

FEATURE: Final = "follower.fetch.pending.reads.insync.enable"
SCOPE: Final = "insync.scope"
APPENDS: Final = "insync.appends.enable"
ISR: Final = "insync.relinquish.isr"
VIA: Final = "insync.relinquish.via"
LIMITS: Final = "insync.relinquish.limits.enable"
ONLY: Final = "insync.lab.relinquish.only.enable"
LOG_START: Final = "insync.log.start.fix"
LAG_POLICY: Final = "insync.lab.lag.policy"
BY_TIME: Final = "time"
PROCESS_TIME: Final = "leader.fetch.process.time.max.ms"
SWITCHED_OFF: Final = {FEATURE: "false", PROCESS_TIME: "-1"}
"""Switches KIP-501 off in a running broker, which refuses the first alone if it has the second."""

READ: Final = {FEATURE: "true", SCOPE: "read"}
REQUEST: Final = {FEATURE: "true", SCOPE: "request"}
STEP_DOWN: Final = {**REQUEST, ISR: "leave"}
AS_THE_KIP: Final = {VIA: "alter-partition", ISR: "keep-last", APPENDS: "false", LIMITS: "false"}
"""Solution 2 as the KIP has it, which names no appends and no limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmSpec:
    """One arm.

    Attributes:
        name: its name in scenarios, on the command line, in files and tables: a contract.
        says: what the brokers are, for the reports and for readers.
        agent: whether the nodes carry the agent.
        configs: what it adds to every node's server.properties.
        lag_factor: how many times longer replica.lag.time.max.ms is than the scenario's.
        late: whether a leader steps down only after replica.lag.time.max.ms, not after the
            scenario's leader_fetch_process_time_max_ms.
        elr: whether the cluster has eligible leader replicas where its version has them by
            default; False: it is formatted without them.
        patched: whether Kafka itself must define the configs, as the source patches of
            plugin-java/upstream do: a build without them would ignore them.
        fences: whether Kafka's own code lets a leader that is too slow ask to be fenced.
        control: whether it is Kafka without any change, fit to show the problem.
        expected_as: the arm with the same brokers: where a scenario names only one of the two, what
            it says is about the other as well.

    """

    name: str
    says: str
    agent: bool
    configs: Mapping[str, str] = field(default_factory=dict)
    lag_factor: int = 1
    late: bool = False
    elr: bool = True
    patched: bool = False
    fences: bool = False
    control: bool = False
    expected_as: str | None = None

    @property
    def needs(self) -> dict[str, str]:
        """What the agent must support on a broker version: keys of the table of versions."""
        needed = {}
        if SCOPE in self.configs:
            needed["scopes"] = self.configs[SCOPE]
        if ISR in self.configs:
            needed["step_down"] = "true"
        if LOG_START in self.configs:
            needed["log_start"] = "true"
        if LAG_POLICY in self.configs:
            needed["lag_policies"] = self.configs[LAG_POLICY].partition(":")[0]
        return needed

    @property
    def defined(self) -> list[str]:
        """The configs that Kafka itself must define; a scenario has the times."""
        own = list(self.configs) if self.patched else []
        return [*own, PROCESS_TIME] if self.fences else own


_ALL: Final = (
    ArmSpec(
        name="stock", agent=False, control=True,
        says="Kafka's own jars, unchanged",
    ),
    ArmSpec(
        name="off", agent=True,
        says="the agent with every feature off",
    ),
    ArmSpec(
        name="read", agent=True, configs=READ,
        says="solution 1 of KIP-501 to the letter: the time of a pending read does not count as"
        " lag",
    ),
    ArmSpec(
        name="request", agent=True, configs=REQUEST,
        says="KIP-501 for the whole time that the leader processes a fetch",
    ),
    ArmSpec(
        name="plugin", agent=True, configs=REQUEST, expected_as="request",
        says="the same brokers as `request`, under the name that older scenarios use",
    ),
    ArmSpec(
        name="step-down", agent=True, configs=STEP_DOWN,
        says="`request`, and a leader that is too slow gives its partitions away and leaves the"
        " ISR (solution 2 of the KIP)",
    ),
    ArmSpec(
        name="step-down-keep", agent=True, configs={**REQUEST, ISR: "keep-last"},
        says="`step-down`, but the old leader stays in the ISR, named last. Of the KIP it has that"
        " order of the ISR only: its scope and limits are those of `step-down`",
    ),
    ArmSpec(
        name="step-down-unthrottled", agent=True, configs={**STEP_DOWN, LIMITS: "false"},
        says="`step-down` without its limits: no cool-down, no budget, no memory of slow leaders,"
        " no limit on slow peers",
    ),
    ArmSpec(
        name="kip-501-s2", agent=True, configs={**READ, **AS_THE_KIP},
        says="solution 2 of KIP-501 to the letter: `read`, and a leader that processes a fetch for"
        " too long names itself last in the ISR and gives its partitions away, without any limit",
    ),
    ArmSpec(
        name="relinquish-only", agent=True, late=True,
        configs={SCOPE: "request", ONLY: "true", **AS_THE_KIP},
        says="what KIP-501 rejects: no solution 1, and a leader gives a partition away when a read"
        " for a follower fails, or is not done after replica.lag.time.max.ms, without any limit",
    ),
    ArmSpec(
        name="raised-lag", agent=False, lag_factor=6,
        says="Kafka's own jars with six times the scenario's replica.lag.time.max.ms, which is"
        " what an operator would try",
    ),
    ArmSpec(
        name="elr-off", agent=False, elr=False,
        says="Kafka's own jars on a cluster formatted with eligible.leader.replicas.version=0",
    ),
    ArmSpec(
        name="bound", agent=True, configs={LOG_START: "bound"},
        says="the follower's fix of KAFKA-7104: its log start offset stays within its log",
    ),
    ArmSpec(
        name="snapshot", agent=True, configs={LOG_START: "snapshot"},
        says="the leader's fix of KAFKA-7104: a fetch response is made of one state of the log",
    ),
    ArmSpec(
        name="both", agent=True, configs={LOG_START: "both"},
        says="both fixes of KAFKA-7104",
    ),
    ArmSpec(
        name="patched", agent=False, patched=True, configs={FEATURE: "true"}, expected_as="read",
        says="`read` on a Kafka whose own code has KIP-501, without the agent",
    ),
    ArmSpec(
        name="patched-fencing", agent=False, patched=True, fences=True, configs={FEATURE: "true"},
        says="`patched`, and a broker that is too slow with a fetch asks to be fenced",
    ),
    ArmSpec(
        name="time", agent=False, control=True, expected_as="stock",
        says="the same brokers as `stock`, named for its lag policy",
    ),
    ArmSpec(
        name="messages-4", agent=True, configs={LAG_POLICY: "messages:4"},
        says="the lag policy of Kafka 0.8: out of sync when more than 4 messages behind",
    ),
    ArmSpec(
        name="messages-4000", agent=True, configs={LAG_POLICY: "messages:4000"},
        says="the lag policy of Kafka 0.8: out of sync when more than 4,000 messages behind",
    ),
)  # fmt: skip

ARMS: Final[dict[str, ArmSpec]] = {spec.name: spec for spec in _ALL}
"""Every arm by its name."""


def _spec(arm: str) -> ArmSpec:
    """Return an arm; one that is not known is Kafka without the agent."""
    return ARMS.get(arm) or ArmSpec(name=arm, says="", agent=False)


def has_agent(arm: str) -> bool:
    """Whether the nodes of an arm carry the agent."""
    return _spec(arm).agent


def feature_on(arm: str) -> bool:
    """Whether KIP-501 is on in an arm."""
    return settings(arm).get(FEATURE) == "true"


def steps_down(arm: str) -> bool:
    """Whether the leaders of an arm may step down, each alone or with all that its broker leads."""
    return _spec(arm).fences or ISR in _spec(arm).configs


def reports_step_downs(arm: str) -> bool:
    """Whether the brokers of an arm report step-downs, which only the agent does."""
    return steps_down(arm) and has_agent(arm)


def lag_factor(arm: str) -> int:
    """Return how many times longer replica.lag.time.max.ms is in an arm than its scenario's."""
    return _spec(arm).lag_factor


def lag_policy(arm: str) -> str:
    """Return the policy by which the leaders of an arm find followers out of sync."""
    return settings(arm).get(LAG_POLICY, BY_TIME)


def settings(arm: str) -> dict[str, str]:
    """Return what an arm adds to every node's server.properties, without scenario's times."""
    return dict(_spec(arm).configs)


def expected_as(arm: str) -> tuple[str, ...]:
    """Return the names under which a scenario may name an arm, its own first.

    Arms with the same brokers stand for each other, whichever of them has `expected_as`.
    """
    others = (each.name for each in ARMS.values() if each.expected_as == arm)
    names = (arm, _spec(arm).expected_as, *others)
    return tuple(dict.fromkeys(each for each in names if each))


def stand_in(arm: str, names: Collection[str]) -> str | None:
    """Return the one of some arms that is, or stands for, an arm; None if none does."""
    return next((each for each in expected_as(arm) if each in names), None)


def as_markdown() -> str:
    """Return the table as Markdown."""
    head = "| arm | control | what the brokers are | agent | configs | needs of the version |"
    return "\n".join([head, "|---" * 6 + "|", *(_row(spec) for spec in ARMS.values()), ""])


def _row(spec: ArmSpec) -> str:
    cells = (
        f"`{spec.name}`",
        "control" if spec.control else "",
        spec.says,
        "yes" if spec.agent else "no",
        "<br>".join(f"`{key}={value}`" for key, value in spec.configs.items()),
        _needed(spec),
    )
    return f"| {' | '.join(cells)} |"


def _needed(spec: ArmSpec) -> str:
    """Write what an arm needs of a broker version."""
    of_agent = [f"`{key}` with `{value}`" for key, value in spec.needs.items() if spec.agent]
    needed: Sequence[str] = of_agent if of_agent or not spec.agent else ["an adapter"]
    own = ["a build of Kafka that defines the configs"] if spec.patched else []
    return ", ".join([
        *needed, *own, *([] if spec.elr else ["eligible leader replicas by default"]),
    ])  # fmt: skip


if __name__ == "__main__":
    print(as_markdown(), end="")
