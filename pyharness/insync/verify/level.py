"""Define what is verified, resolve its two sides, and define what a level is."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from insync.arms import ARMS, has_agent, settings
from insync.artifacts import sha256_of
from insync.brokers.kafka import builds
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.versions import Release
from insync.engine.campaign import Campaign
from insync.errors import InputError
from insync.overhead.measure import Subject
from insync.progress import Progress
from insync.run.plan import built_agent
from insync.run.version_support import arms_of, require_arms
from insync.verify.criteria import Criterion
from insync.verify.request import VerifyRequest

STOCK: Final = "stock"
BEST_FIRST: Final = ("request", "read", "off")
"""The arms of a candidate with the agent, if none is named: the first that its version has."""


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
        agent = " with the agent" if self.agent else ""
        settings = (f"{key}={value}" for key, value in self.settings.items())
        return ", ".join([f"Kafka {self.release.name}{agent}", f"arm {self.arm}", *settings])

    def facts(self) -> dict[str, Any]:
        """Return, by name, in what a verification that is resumed must have the same side."""
        found = {
            "Kafka": self.release.name, "jars, SHA-256": self.jars, "agent, SHA-256": self.agent,
            "arm": self.arm, "expected as": self.claims, "broker configs": dict(self.settings),
        }  # fmt: skip
        return {f"{self.name}'s {name}": value for name, value in found.items()}


def sides(request: VerifyRequest) -> tuple[Side, Side]:
    """Return the candidate and the baseline; raises InputError.

    The baseline is by default the candidate's build without the agent; of a build without the agent
    it is the release that the build's version names.
    """
    release = builds.find(request.kafka)
    arm = _arm(request)
    for key, value in settings(arm).items():
        if (given := request.settings.get(key, value)) != value:
            raise InputError(
                f"--config {key}={given}: arm {arm} has {value}, expected another --arm"
            )
    candidate = Side(
        name="candidate", kafka=request.kafka, release=release, jars=release.digest, arm=arm,
        claims=arm if request.agent else request.arm, settings=request.settings,
        unknown_methods=request.unknown_methods,
    )  # fmt: skip
    kafka = request.baseline or (request.kafka if request.agent else release.version)
    try:
        release = builds.find(kafka)
    except InputError as error:
        raise InputError(str(error).replace("kafka:", "--baseline:", 1)) from None
    return candidate, Side(
        name="baseline", kafka=kafka, release=release, jars=release.digest, arm=STOCK, claims=STOCK,
    )  # fmt: skip


def _arm(request: VerifyRequest) -> str:
    """Return the arm of the candidate; raises InputError for one without, or with, the agent."""
    if request.arm is None and not request.agent:
        return STOCK
    if request.arm is None:
        known = arms_of(request.kafka)
        return next((arm for arm in BEST_FIRST if arm in known), BEST_FIRST[0])
    spec = ARMS.get(request.arm)
    if spec is None or spec.agent != request.agent:
        names = ", ".join(name for name, each in ARMS.items() if each.agent == request.agent)
        kind = "with" if request.agent else "without"
        raise InputError(f"--arm {request.arm}: expected one {kind} the agent: {names}")
    if not spec.agent:  # what the agent lacks, the level weave says
        require_arms([spec.name], request.kafka)
    return spec.name


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """What is verified; `seeds` and `kinds` of faults are those of the level faults.

    `criteria` are those of a candidate with such a claim, and `criteria_text` is their file.
    """

    candidate: Side
    baseline: Side
    request: VerifyRequest
    seeds: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    criteria_text: str
    java: Java


class Level(Campaign[Any]):
    """A level: a campaign in a folder of the verification's; its result is about its name.

    It raises InsyncError if it cannot run.
    """

    @abstractmethod
    def __init__(self, what: Verification, progress: Progress) -> None:
        """Plan it."""

    def asked(self) -> Mapping[str, Any]:
        """Return nothing: the verification knows it."""
        return {}
