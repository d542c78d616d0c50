"""Define the request for a verification, as the command line makes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

from insync.run.request import DEFAULT_KAFKA, Kafka, Names, UnknownMethods
from insync.scenario.groups import DEFAULT

NO_SEEDS: Final = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyRequest:
    """A request for a verification; None means the default."""

    kafka: Kafka = DEFAULT_KAFKA
    agent: Annotated[bool, "--agent/--no-agent", "Judge the build with the agent, or alone."] = True
    arm: Annotated[
        str | None,
        "The arm that the candidate is. Default: request, or the best one; with --no-agent stock,"
        " of which nothing is expected.",
    ] = None
    settings: Annotated[
        Mapping[str, str], "--config", "Broker config KEY=VALUE of the candidate; repeatable."
    ] = field(default_factory=dict)
    baseline: Annotated[
        str | None,
        "Version or path to compare with. Default: the same build without the agent; with"
        " --no-agent the published version of the build.",
    ] = None
    levels: Annotated[Names, "--level", "Comma-separated: weave, tests, faults, cost; or all."] = (
        "weave",
        "faults",
    )
    only: Annotated[Names, "Comma-separated scenarios or groups of the level faults."] = (DEFAULT,)
    seeds: Annotated[str, "Seeds A-B of the fuzz in the level faults, or none."] = "1-6"
    repeats: Annotated[int, "Repeats of each scenario."] = 1
    criteria: Annotated[Path | None, "TOML file of pass criteria. Default: insync's own."] = None
    unknown_methods: UnknownMethods = False
