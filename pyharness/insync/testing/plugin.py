"""The pytest plugin: clusters, faults, and checked histories as fixtures.

pytest loads it in every session, so it imports brokers and clients only when a fixture is used.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

import pytest

from insync.testing import Asked, Kind

if TYPE_CHECKING:
    from insync.testing.clusters import ExistingCluster, Judged
    from insync.testing.faults import Faults
    from insync.testing.history import History
    from insync.testing.kafka_cluster import KafkaCluster

    Cluster: TypeAlias = KafkaCluster | ExistingCluster

_OF_CLUSTER: Final = ("brokers", "settings", "plugin", "faults", "jvm")
_KEYS: Final = (*_OF_CLUSTER, "scenario", "expect", "arms", "scale", "repeats")
MARKER_HELP: Final = (
    "insync(scenario=None, expect='pass', arms=None, scale=1.0, repeats=None, brokers=3,"
    " settings=None, plugin=None, faults=None, jvm=()): run a scenario before the test and expect"
    " its verdict; or what the cluster of the test is"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --insync-kafka, --insync-libs, --insync-cluster and --insync-bootstrap."""
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
    for mark in reversed(list(item.iter_markers("insync"))):
        unknown = [name for name in mark.kwargs if name not in _KEYS]
        if mark.args or unknown:
            wrong = ", ".join([*map(repr, mark.args), *unknown])
            raise pytest.UsageError(
                f"{item.nodeid}: marker insync({wrong}): expected, by name, {', '.join(_KEYS)}"
            )
        found |= mark.kwargs
    return found


_CLUSTERS: Final = ("insync_cluster", "insync_cluster_module", "insync_cluster_session")
_NOTES: Final = pytest.StashKey[list[Callable[[], str]]]()
"""What a failed test shows: each returns lines when the failure is reported."""
_SCENARIO: Final = "_insync_scenario"
_FAILED: Final = pytest.StashKey[bool]()


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; check the options."""
    config.addinivalue_line("markers", MARKER_HELP)
    asked_for = ("--insync-kafka", "--insync-libs", "--insync-bootstrap")
    if any(map(config.getoption, asked_for)) or config.getoption("--insync-cluster") == "existing":
        asked(config)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show reports and the brokers' last lines with a failure."""
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
        notes = [note for owner in _owners(item) for note in owner.stash.get(_NOTES, [])]
        text = "\n".join(dict.fromkeys(filter(None, (note() for note in notes))))
        if text:
            report.sections.append(("insync", text))
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests with a scenario run it first; raises UsageError for a wrong marker."""
    for item in items:
        if isinstance(item, pytest.Function) and "scenario" in marked(item):
            item.fixturenames.insert(0, _SCENARIO)


@pytest.fixture(scope="session")
def insync_options() -> dict[str, Any]:
    """Return arguments of `KafkaCluster` for every cluster; override it in a conftest.py."""
    return {}


@pytest.fixture
def insync_cluster(
    request: pytest.FixtureRequest, insync_options: dict[str, Any], tmp_path: Path
) -> Iterator["Cluster"]:
    """Start a cluster for one test."""
    own = marked(request.node)
    keys = insync_options | {name: own[name] for name in _OF_CLUSTER if name in own}
    if "insync_faults" in request.fixturenames:
        keys.setdefault("faults", None)
    with _started(request, keys, tmp_path / "kafka") as cluster:
        yield cluster


def _shared(scope: Literal["module", "session"]) -> Any:
    """Return the fixture of a cluster that several tests share."""

    @pytest.fixture(scope=scope, name=f"insync_cluster_{scope}")
    def cluster(
        request: pytest.FixtureRequest,
        insync_options: dict[str, Any],
        tmp_path_factory: pytest.TempPathFactory,
    ) -> Iterator["Cluster"]:
        """Start a cluster for all tests of a module, or of the session."""
        keys = {"faults": None, **insync_options}
        with _started(request, keys, tmp_path_factory.mktemp("insync") / "kafka") as started:
            yield started

    return cluster


insync_cluster_module = _shared("module")
insync_cluster_session = _shared("session")


@pytest.fixture
def insync_faults(request: pytest.FixtureRequest) -> "Faults":
    """Return a function that injects a fault into the test's cluster for a block."""
    return _cluster_of(request).fault


@pytest.fixture
def insync_history(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator["History"]:
    """Return a history of the test's own clients; the end of a passing test checks it."""
    from insync.testing.history import History

    cluster = _cluster_of(request)
    before = len(cluster.lifted())
    history = History(
        cluster.bootstrap, tmp_path / "history", kafka=cluster.kafka, cluster=cluster.kind,
        arm=cluster.arm, lifted=lambda: cluster.lifted()[before:],
    )  # fmt: skip
    _note(request.node, lambda: "\n".join(f"report: {each.report}" for each in history.verdicts))
    try:
        yield history
        if history.recorded and not request.node.stash.get(_FAILED, False):
            history.check()
    finally:
        history.close()


@pytest.fixture
def insync_result(request: pytest.FixtureRequest) -> "Judged":
    """Return the result of the scenario that the test's marker names."""
    if "scenario" not in marked(request.node):
        raise pytest.UsageError(f"{request.node.nodeid}: insync_result: expected a scenario marker")
    result: Judged = request.getfixturevalue(_SCENARIO)
    return result


@pytest.fixture
def _insync_scenario(request: pytest.FixtureRequest, tmp_path: Path) -> "Judged":
    """Run the scenario of the test's marker, and check its verdict."""
    from insync.testing.clusters import check, run_scenario

    keys, out = marked(request.node), tmp_path / "run"
    _note(request.node, lambda: f"run folder: {out}" if out.is_dir() else "")
    result = run_scenario(asked(request.config), keys, out)
    _note(request.node, lambda: f"report: {result.report}")
    check([result], keys.get("expect", "pass"))
    return result


@contextmanager
def _started(
    request: pytest.FixtureRequest, keys: dict[str, Any], folder: Path
) -> Iterator["Cluster"]:
    from insync.testing.clusters import started

    with started(asked(request.config), keys, folder) as cluster:
        _note(request.node, cluster.describe)
        yield cluster


def _cluster_of(request: pytest.FixtureRequest) -> "Cluster":
    """Return the cluster that the test asks for, by default its own."""
    name = next((each for each in _CLUSTERS if each in request.fixturenames), _CLUSTERS[0])
    cluster: Cluster = request.getfixturevalue(name)
    return cluster


def _owners(item: pytest.Item) -> list[pytest.Item | pytest.Collector]:
    """Return the test, and its module or session where it uses their cluster."""
    used = getattr(item, "fixturenames", ())
    module = item.getparent(pytest.Module)
    owners: list[pytest.Item | pytest.Collector] = [item]
    if module is not None and "insync_cluster_module" in used:
        owners.append(module)
    if "insync_cluster_session" in used:
        owners.append(item.session)
    return owners


def _note(owner: Any, note: Callable[[], str]) -> None:
    """Let a failed test of the owner, a test, a module or the session, show a note."""
    owner.stash.setdefault(_NOTES, []).append(note)
