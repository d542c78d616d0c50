"""Fixtures of the integration tests: the default distribution, clusters, recorded scenarios."""

import subprocess
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from every_scenario import RecordedScenarios, long_rows, record, short_rows
from insync.artifacts import AGENT_JAR
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import AgentSpec
from insync.brokers.kafka.cache import woven_classes
from insync.brokers.kafka.distribution import SHORT_LIVED, Distribution
from insync.brokers.kafka.java import Java, find_java
from insync.brokers.kafka.resolve import distribution
from integration.lab import ALL, LAG, TOPIC, Lab, Program, StartCluster, StartLab, compile_java

PROGRAMS = Path(__file__).parent / "java"
LOGS_SHOWN, LINES_SHOWN = 6, 15


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport]:
    """Show the ends of the brokers' logs below a failure: of a CI run nothing else is left."""
    report = yield
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    if report.failed and folder is not None:
        try:
            report.sections.extend(_ends_of_logs(folder))
        except OSError as error:  # such as a file system below the folder that has ended
            report.sections.append(("logs that cannot be read", str(error)))
    return report


def _ends_of_logs(folder: Path) -> Iterator[tuple[str, str]]:
    for log in sorted(folder.rglob("stdout.log"))[:LOGS_SHOWN]:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        end = "\n".join(line[:200] for line in lines[-LINES_SHOWN:])
        yield f"end of {log.relative_to(folder)}", end


@pytest.fixture(scope="session")
def java() -> Java:
    return find_java()


@pytest.fixture(scope="session")
def dist(java: Java) -> Distribution:
    return distribution("4.3.1", java)


@pytest.fixture(scope="session")
def program(dist: Distribution, java: Java, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Run one of the small Java programs beside this file with the broker's own client classes."""
    classes = tmp_path_factory.mktemp("programs")
    compile_java(java, classes, *PROGRAMS.glob("*.java"), jars=dist.jars)

    def run(name: str, *arguments: str) -> str:
        command = dist.command(SHORT_LIVED, name, *arguments, jars=[classes])
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def agent(tmp_path: Path) -> AgentSpec:
    """Return an agent as a run has it: its woven classes are kept for the next brokers."""
    folder = tmp_path / "agent"
    folder.mkdir()
    return AgentSpec(jar=AGENT_JAR, events_dir=folder, bridge_dir=folder, cache=woven_classes())


@pytest.fixture
def start(dist: Distribution, java: Java, tmp_path: Path) -> Iterator[StartCluster]:
    """Start clusters, of the default version or another, that end with the test."""
    with ExitStack() as stack:

        def begin(*, kafka: str = "", dist: Distribution = dist, **options: Any) -> LocalCluster:
            chosen = distribution(kafka, java) if kafka else dist
            return stack.enter_context(LocalCluster(chosen, tmp_path / "nodes", **options))

        yield begin


@pytest.fixture
def start_lab(start: StartCluster, agent: AgentSpec) -> StartLab:
    """Start clusters whose agents have pause points, and create the topic of a `Lab` on them."""

    def begin(
        *, agent_options: Mapping[str, Any] | None = None,
        assignment: Sequence[Sequence[int]] = (ALL,), configs: Mapping[str, str] | None = None,
        settings: Mapping[str, str] = LAG, **options: Any,
    ) -> Lab:  # fmt: skip
        own = replace(agent, holds=True, **(agent_options or {}))
        cluster = start(agent=own, settings=settings, **options)
        if assignment:
            create_topic(cluster.bootstrap, TOPIC, assignment, configs or {})
        return Lab(cluster, own)

    return begin


@pytest.fixture(scope="session")
def scenarios(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    judge_matrices: Callable[..., Any],
) -> RecordedScenarios:
    """Record the built-in scenarios that the tests of this session name, and judge them at once.

    A test names them by its marker `scenario`.
    """
    marks = [mark for item in request.session.items for mark in item.iter_markers("scenario")]
    named = {name for mark in marks for name in mark.args}
    rows = [row for row in short_rows() if row.scenario in named]
    return record(rows, tmp_path_factory.mktemp("scenarios"), judge_matrices)


@pytest.fixture(scope="session")
def every_arm(
    tmp_path_factory: pytest.TempPathFactory, judge_matrices: Callable[..., Any]
) -> RecordedScenarios:
    """Record every built-in scenario on all of its arms, for the long tests of this session."""
    return record(long_rows(), tmp_path_factory.mktemp("every-arm"), judge_matrices)
