"""Define the options that several commands share."""

from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from insync.brokers.kafka.versions import known
from insync.clients import Client
from insync.engines import AnalysisOptions, conf_of, require_engine, require_master
from insync.errors import InputError
from insync.events.topic import EventTopic
from insync.run.request import AnyCluster, ClusterKind, Existing

BAD_INPUT: Final = 2
KAFKAS: Final = ", ".join(known())
ClusterOption = Annotated[
    ClusterKind,
    typer.Option("--cluster", help="Run nodes as local processes or as Docker containers."),
]
AnyClusterOption = Annotated[
    AnyCluster,
    typer.Option(
        "--cluster",
        help="Run nodes as local processes or as Docker containers, or use an existing cluster.",
    ),
]
ClientOption = Annotated[
    Client | None,
    typer.Option(
        "--client",
        help="Producers and consumers: librdkafka, Kafka's own Java client, or half of each."
        " Default: the scenario's.",
    ),
]
DefaultTimeouts = Annotated[
    bool,
    typer.Option(
        "--default-timeouts",
        help="Clients keep the timeouts of their library, whatever the scenario says.",
    ),
]
UnknownMethods = Annotated[
    bool,
    typer.Option(
        "--allow-unknown-methods",
        help="Let the agent weave methods that differ from every build it knows.",
    ),
]
KAFKA_HELP: Final = (
    "Kafka release by its number (4.0: its newest patch release), or an own build: a folder of"
    " jars, an unpacked Kafka, or its .tgz, named by a path with a slash. Tested releases:"
    f" {KAFKAS}."
)


def exact_kafka(given: str | None) -> str | None:
    """Return the releases or builds that an option names, each without doubt."""
    from insync.brokers.kafka.builds import exact

    return None if given is None else ",".join(exact(each.strip()) for each in given.split(","))


KafkaOption = Annotated[str, typer.Option("--kafka", help=KAFKA_HELP, callback=exact_kafka)]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output, text on stderr.")
]
Engine = Annotated[
    Literal["auto", "embedded", "spark"],
    typer.Option(
        help="What computes the tables: the embedded engine, or Apache Spark. auto: Spark for more"
        " than 1 GB of events, remote folders, and --spark-master."
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(help="New or empty output folder. Default: ./insync-runs/<command>-<time>."),
]
ResumeOption = Annotated[
    bool, typer.Option("--resume", help="Continue what is in --out: run what it lacks.")
]
ShardOption = Annotated[str | None, typer.Option(help="I/N: run every N-th one from the I-th on.")]
MinutesOption = Annotated[
    float | None, typer.Option(help="Begin nothing that would end later. Default: run all.")
]
DEFAULT_ENGINE: Final = "auto"
SparkMaster = Annotated[
    str | None, typer.Option(help="Spark master that computes the tables; asks for Spark.")
]
SparkConf = Annotated[list[str] | None, typer.Option(help="Spark setting KEY=VALUE; repeatable.")]


def print_help_alone(context: typer.Context) -> None:
    """Print the help of a group of commands if none was named, and exit with 2, as typer does."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(BAD_INPUT)


def names(listed: str | None) -> tuple[str, ...] | None:
    """Return the names of a comma-separated list; None without a list."""
    return None if listed is None else tuple(name.strip() for name in listed.split(","))


def events_option(topic: str | None, bootstrap: str | None) -> EventTopic | None:
    """Return the topic for a run's events, if any; raises InputError for a bootstrap alone."""
    if topic is None and bootstrap is not None:
        raise InputError(f"--events-bootstrap {bootstrap}: expected --events-topic with it")
    return None if topic is None else EventTopic(topic, bootstrap)


def existing_option(
    cluster: AnyCluster,
    bootstrap: str | None,
    bridges: Path | None,
    controls: Path | None,
    *,
    allow_faults: bool,
) -> Existing | None:
    """Return the cluster that insync does not start, if any; raises InputError."""
    if cluster == "existing":
        if bootstrap is None:
            raise InputError("--cluster existing: expected --bootstrap with it")
        for name, folder in (("--bridges", bridges), ("--controls", controls)):
            if folder is not None and not folder.is_dir():
                raise InputError(f"{name} {folder}: expected a folder")
        return Existing(
            bootstrap=bootstrap, bridges=bridges, controls=controls, allow_faults=allow_faults
        )
    given = {
        "--bootstrap": bootstrap, "--bridges": bridges, "--controls": controls,
        "--allow-faults": allow_faults or None,
    }  # fmt: skip
    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name}: expected --cluster existing with it, not {cluster}")
    return None


def analysis_options(
    engine: str, master: str | None, conf: list[str] | None, *, needed_now: bool = True
) -> AnalysisOptions:
    """Return the options of the analysis as typed data.

    Raises InputError for a setting without a value, an unknown master, or an engine that is
    `needed_now` and not installed; InsyncError for a master that is needed now and does not answer.
    """
    options = AnalysisOptions(engine, master, conf_of(conf or ()))
    if needed_now:
        require_engine(options)
    if master is not None:
        require_master(master, probe=needed_now)
    return options
