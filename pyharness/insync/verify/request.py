"""Define the request for a verification, as the command line makes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

from insync.brokers.kafka.builds import exact
from insync.errors import InputError
from insync.run.request import DEFAULT_KAFKA, KAFKA_HELP, Names, UnknownMethods
from insync.verify.levels import NAMES

NO_SEEDS: Final = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyRequest:
    """A request for a verification of the build `kafka` or `image`; None means the default."""

    kafka: Annotated[str | None, exact, f"{KAFKA_HELP} Default: {DEFAULT_KAFKA}."] = None
    image: Annotated[str | None, "An image of the local engine that has the jars."] = None
    agent: Annotated[bool, "--agent/--no-agent", "Judge the build with the agent, or alone."] = True
    arm: Annotated[
        str | None, "The candidate's arm with the agent. Default: request, or the best one."
    ] = None
    settings: Annotated[
        Mapping[str, str], "--config", "Broker config KEY=VALUE of the candidate; repeatable."
    ] = field(default_factory=dict)
    baseline: Annotated[
        str | None,
        "Version or path to compare with. Default: the same build without the agent; with"
        " --no-agent the published version of the build.",
    ] = None
    levels: Annotated[
        Names,
        "--level",
        f"Comma-separated: {', '.join(sorted(NAMES))}; or all. Default: weave,faults.",
    ] = None
    only: Annotated[
        Names, "Comma-separated scenarios or groups of the level faults. Default: sites."
    ] = None
    seeds: Annotated[str, "Seeds A-B of the fuzz in the level faults, or none."] = "1-6"
    repeats: Annotated[int, "Repeats of each scenario. An interval needs 6 or more."] = 1
    scale: Annotated[float | None, "Factor for every time. Default: that of the group."] = None
    criteria: Annotated[Path | None, "TOML file of pass criteria. Default: insync's own."] = None
    unknown_methods: UnknownMethods = False

    def build(self) -> tuple[str, str]:
        """Return the option that names the build, and its value; raises InputError for several."""
        if self.image is None:
            return "--kafka", self.kafka or DEFAULT_KAFKA
        if self.kafka is not None:
            raise InputError("--kafka and --image: expected one build to judge")
        return "--image", self.image
