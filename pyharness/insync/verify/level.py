"""Define what is verified, resolve its two sides, and define what a level is."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from insync.arms import (
    ARMS,
    BY_TIME,
    FEATURE,
    ISR,
    LAG_POLICY,
    PATCHED,
    PATCHED_FENCING,
    PROCESS_TIME,
    SCOPE,
    find_arm,
    has_agent,
    settings,
)
from insync.artifacts import sha256_of
from insync.brokers.kafka import builds
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.versions import Release
from insync.engine.campaign import Campaign
from insync.errors import InputError
from insync.overhead.measure import Subject
from insync.progress import Progress
from insync.run.plan import built_agent
from insync.run.version_support import arms_of
from insync.verify.criteria import Criteria
from insync.verify.request import VerifyRequest

STOCK: Final = "stock"
BEST_FIRST: Final = ("request", "read", "off")
"""The arms of a candidate with the agent, if none is named: the first that its version has."""
_DEFAULTS: Final = {SCOPE: "request", LAG_POLICY: BY_TIME}
"""What the configs are where KIP-501 is on and they are not set."""
_OURS: Final = "insync."
"""How the configs begin that the KIP does not have."""
_NEVER: Final = "-1"
_EX_LEADER: Final = "leave"
"""What becomes of an ex-leader where leaders step down and the config is not set."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Side(Subject):
    """The candidate or the baseline.

    `jars` is their digest. It is expected to behave as the arm that it `claims`, if any.
    """

    release: Release
    jars: str
    claims: str | None = None

    @property
    def agent(self) -> str | None:
        """The digest of the agent; None without it."""
        return sha256_of(built_agent()) if has_agent(self.arm) else None

    @property
    def words(self) -> str:
        agent = f" with the agent, arm {self.arm}" if self.agent else ""
        settings = self._settings()
        return f"Kafka {self.release.name}{agent}{f', {settings}' if settings else ''}"

    def facts(self) -> dict[str, str]:
        found = {
            "Kafka": self.release.name, "from": str(self.release.path or ""),
            "jars, SHA-256": self.jars[:16], "agent, SHA-256": (self.agent or "none")[:16],
            "arm": self.arm,
            "expected as": self.claims or "nothing is expected of it",
            "broker configs": self._settings(),
        }  # fmt: skip
        return {f"{self.name}: {name}": value for name, value in found.items() if value}

    def asked(self) -> dict[str, object]:
        """Return in what a verification that is resumed must have the same side, by name."""
        return {
            f"{self.name}'s Kafka": self.release.name,
            f"{self.name}'s jars (SHA-256)": self.jars,
            f"{self.name}'s agent (SHA-256)": self.agent,
            f"{self.name}'s arm": self.arm,
            f"{self.name}'s broker configs": dict(self.settings),
        }

    def _settings(self) -> str:
        return ", ".join(f"{key}={value}" for key, value in self.settings.items())


def sides(request: VerifyRequest) -> tuple[Side, Side]:
    """Return the candidate and the baseline; raises InputError."""
    release = builds.find(request.kafka)
    arm = _arm(request)
    _check_settings(request.settings, arm)
    candidate = Side(
        name="candidate", kafka=request.kafka, release=release, jars=release.digest, arm=arm,
        claims=arm if request.agent else claimed(request.settings), settings=request.settings,
        unknown_methods=request.unknown_methods,
    )  # fmt: skip
    return candidate, _baseline(request, candidate)


def _arm(request: VerifyRequest) -> str:
    """Return the arm of the candidate; raises InputError for one without, or with, the agent."""
    if not request.agent:
        if request.arm is not None:
            raise InputError(f"--arm {request.arm}: expected --agent with it; configs are --config")
        return STOCK
    if request.arm is None:
        known = arms_of(request.kafka)
        return next((arm for arm in BEST_FIRST if arm in known), BEST_FIRST[0])
    spec = find_arm(request.arm)
    if spec is None or not spec.agent:
        names = ", ".join(name for name, each in ARMS.items() if each.agent)
        raise InputError(f"--arm {request.arm}: expected an arm with the agent: {names}")
    return spec.name


def _check_settings(given: Mapping[str, str], arm: str) -> None:
    """Check that no config is one that the arm sets; raises InputError."""
    for key, value in settings(arm).items():
        if given.get(key, value) != value:
            raise InputError(
                f"--config {key}={given[key]}: arm {arm} has {value}, expected another --arm"
            )


def claimed(given: Mapping[str, str]) -> str | None:
    """Return the arm whose configs a build without the agent was given, None if there is none.

    Of several it is the one with the most configs. A build that is given none of our own configs
    has the KIP's text inside.
    """
    if given.get(FEATURE) == "true" and not any(name.startswith(_OURS) for name in given):
        return PATCHED if given.get(PROCESS_TIME, _NEVER) == _NEVER else PATCHED_FENCING
    known = {**_DEFAULTS, **given}
    if given.get(PROCESS_TIME, _NEVER) != _NEVER:
        known.setdefault(ISR, _EX_LEADER)
    fit = [
        spec
        for spec in ARMS.values()
        if spec.configs and FEATURE in spec.configs and spec.configs.items() <= known.items()
    ]
    return max(fit, key=lambda spec: len(spec.configs)).name if fit else None


def _baseline(request: VerifyRequest, candidate: Side) -> Side:
    """Return the baseline: by default the candidate's build without the agent.

    Without the agent it is the version of Maven Central that the build's version names.
    """
    default = candidate.kafka if request.agent else candidate.release.version
    kafka = request.baseline or default
    try:
        release = builds.find(kafka)
    except InputError as error:
        raise InputError(str(error).replace("kafka:", "--baseline:", 1)) from None
    return Side(
        name="baseline", kafka=kafka, release=release, jars=release.digest, arm=STOCK, claims=STOCK,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """What is verified; `seeds` and `kinds` of faults are those of the level faults.

    `criteria_text` is the file of the criteria.
    """

    candidate: Side
    baseline: Side
    request: VerifyRequest
    seeds: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    criteria: Criteria
    criteria_text: str
    java: Java


class Level(Campaign[Any]):
    """A level: a campaign in a folder of the verification's; its result is about its name.

    It raises InsyncError if it cannot run. One that takes `long` is left out where no level is
    named; `brokers` is whether brokers run.
    """

    long: ClassVar[bool] = False
    brokers: ClassVar[bool] = True

    @abstractmethod
    def __init__(self, what: Verification, progress: Progress) -> None:
        """Plan it."""

    def asked(self) -> Mapping[str, Any]:
        """Return nothing: the verification knows it."""
        return {}
