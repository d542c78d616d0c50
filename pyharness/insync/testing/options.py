"""The options of pytest, the marker, and what of them a cluster of a test needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import pytest

Kind = Literal["auto", "local", "docker", "existing"]
MARKER: Final = "insync"
_OF_CLUSTER: Final = ("brokers", "settings", "plugin", "faults", "jvm")
_KEYS: Final = (*_OF_CLUSTER, "scenario", "expect", "arms", "scale", "repeats")
MARKER_HELP: Final = (
    "insync(scenario=None, expect='pass', arms=None, scale=1.0, repeats=None, brokers=3,"
    " settings=None, plugin=None, faults=None, jvm=()): run a scenario before the test and expect"
    " its verdict; or what the cluster of the test is"
)


def add_options(parser: pytest.Parser) -> None:
    """Add the options to pytest's command line."""
    group = parser.getgroup("insync", "Kafka clusters of insync")
    group.addoption(
        "--insync-kafka", metavar="VERSION",
        help="Kafka version, or the path of an own build (default: 4.3.1)",
    )  # fmt: skip
    group.addoption(
        "--insync-libs", metavar="DIR", help="folder of an own build's jars, run as processes"
    )
    group.addoption(
        "--insync-cluster", choices=get_args(Kind), default="auto",
        help="what brokers run as; auto: containers where an engine has the version's image, else"
        " local processes",
    )  # fmt: skip
    group.addoption(
        "--insync-bootstrap", metavar="HOST:PORT,...",
        help="the brokers of --insync-cluster existing",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the command line asks for."""

    kafka: str
    cluster: Kind
    bootstrap: str | None


def asked(config: pytest.Config) -> Asked:
    """Return what the command line asks for; raises UsageError for what does not fit together."""
    kafka, libs = config.getoption("--insync-kafka"), config.getoption("--insync-libs")
    cluster = config.getoption("--insync-cluster")
    bootstrap = config.getoption("--insync-bootstrap")
    if kafka and libs:
        raise pytest.UsageError(f"--insync-kafka {kafka} and --insync-libs {libs}: expected one")
    if (cluster == "existing") != bool(bootstrap):
        raise pytest.UsageError(
            f"--insync-cluster {cluster}, --insync-bootstrap {bootstrap}: expected both, or another"
            " cluster and no bootstrap"
        )
    from insync.run.request import DEFAULT_KAFKA

    # A folder in the working directory is a path only with a slash.
    return Asked(
        kafka=f"{libs}/" if libs else kafka or DEFAULT_KAFKA, cluster=cluster, bootstrap=bootstrap
    )


def marked(item: pytest.Item) -> dict[str, Any]:
    """Return the arguments of a test's markers, the closest first; raises UsageError."""
    found: dict[str, Any] = {}
    for mark in reversed(list(item.iter_markers(MARKER))):
        unknown = [name for name in mark.kwargs if name not in _KEYS]
        if mark.args or unknown:
            wrong = ", ".join([*map(repr, mark.args), *unknown])
            raise pytest.UsageError(
                f"{item.nodeid}: marker insync({wrong}): expected, by name, {', '.join(_KEYS)}"
            )
        found |= mark.kwargs
    return found


def of_cluster(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that `KafkaCluster` takes."""
    return {name: keys[name] for name in _OF_CLUSTER if name in keys}
