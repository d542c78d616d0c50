"""`insync run`: run a scenario on real brokers, then compute tables, verdict and report."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

from insync.cli.options import Json, require
from insync.engines import AnalysisOptions, require_master
from insync.errors import InputError
from insync.run.request import AnyCluster, EventTopic, Existing, RunRequest

EXAMPLES: Final = """\b
Examples:
  insync run kip-501 --scale 0.2
  insync run control --arms stock,off --out ./out
  insync run kip-501 --cluster docker
  insync run my.toml --cluster existing --bootstrap kafka-1:9092 --arms stock
  insync run kip-501 --client java --default-timeouts
  insync run my.toml --kafka 4.4.0 --repeat 5 --json
  insync run read-stall --kafka ./core/build/distributions/kafka_2.13-4.4.0-SNAPSHOT.tgz
  insync run kip-501 --events-topic insync-events
  insync run kip-501 --record-only --out ./out && insync report ./out
"""


def command(
    request: RunRequest,
    analysis: AnalysisOptions,
    bootstrap: Annotated[str | None, "HOST:PORT,... of the brokers of --cluster existing."] = None,
    bridges: Annotated[
        Path | None, "Folder with the connection files bridge-ID.json of their agents."
    ] = None,
    controls: Annotated[
        Path | None, "Folder with the control files stall-ID.control of their stall shims."
    ] = None,
    allow_faults: Annotated[bool, "Let faults stall brokers of that cluster."] = False,
    record_only: Annotated[bool, "Only record; analyse later with `insync report`."] = False,
    events_topic: Annotated[
        str | None, "Agents send their events to this topic, too, for `insync why --bootstrap`."
    ] = None,
    events_bootstrap: Annotated[
        str | None, "HOST:PORT of a cluster that has the topic. Default: each arm's own cluster."
    ] = None,
    json: Json = False,
) -> int:
    """Run a scenario on real brokers; compute verdict and report.

    An engine computes the tables from which the verdict and the report are made.
    """
    if not record_only:
        require("run", analysis, "--record-only: `insync report` can analyse it elsewhere")
    elif analysis.master is not None:
        require_master(analysis.master, probe=False)
    if events_topic is None and events_bootstrap is not None:
        raise InputError(f"--events-bootstrap {events_bootstrap}: expected --events-topic with it")
    from insync.cli.output import TerminalProgress, print_json
    from insync.cli.results import analyse_and_show
    from insync.run.runner import run
    from insync.signals import interruptible

    request = replace(
        request,
        events=None if events_topic is None else EventTopic(events_topic, events_bootstrap),
        existing=_existing(
            request.cluster, bootstrap=bootstrap, bridges=bridges, controls=controls,
            allow_faults=allow_faults,
        ),
    )  # fmt: skip
    with interruptible(), TerminalProgress() as progress:
        folder = run(request, progress)
        if not record_only:
            return analyse_and_show([folder], [], analysis, progress, as_json=json)
    text = f"recorded, not analysed yet: insync report {folder}"
    print(text, file=sys.stderr if json else sys.stdout)
    if json:
        print_json({"recorded": str(folder)})
    return 0


def _existing(
    cluster: AnyCluster, *, bootstrap: str | None, allow_faults: bool, **folders: Path | None
) -> Existing | None:
    """Return the cluster that insync does not start, if any; raises InputError."""
    if cluster != "existing":
        given = {"bootstrap": bootstrap, **folders, "allow-faults": allow_faults or None}
        for name, value in given.items():
            if value is not None:
                raise InputError(f"--{name}: expected --cluster existing with it, not {cluster}")
        return None
    if bootstrap is None:
        raise InputError("--cluster existing: expected --bootstrap with it")
    for name, folder in folders.items():
        if folder is not None and not folder.is_dir():
            raise InputError(f"--{name} {folder}: expected a folder")
    return Existing(bootstrap=bootstrap, allow_faults=allow_faults, **folders)
