"""Mutants of the agent without brokers: each fits the agent, and the core's own tests fail."""

import zipfile
from pathlib import Path

import pytest

from insync.artifacts import AGENT_JAR, CLIENTS_JAR
from insync.brokers.kafka.java import Java, find_java
from mutants import (
    BROKEN,
    BY_JAVA,
    BY_MODEL,
    CAUGHT,
    ONLY_BY_JAVA,
    names,
    run_core_tests,
    write_mutant,
)

RULE = "insync/core/logstart/LogStartRule.class"
SHORT = ("hold-of-dead-connection", "hold-over-leader-change")
"""The mutants that `make test` runs."""


@pytest.fixture(scope="module")
def java() -> Java:
    return find_java()


def test_every_mutant_is_in_the_tables(java: Java) -> None:
    assert names(java) == [*BROKEN] == [*BY_JAVA]
    elsewhere = {row.mutant for row in CAUGHT} | {mutant for mutant, _ in BY_MODEL}
    assert elsewhere | set(ONLY_BY_JAVA) == set(BROKEN), "caught elsewhere, or it says why not"
    assert not elsewhere & set(ONLY_BY_JAVA)


def without_rule(jar: Path, *, bodiless: bool) -> Path:
    """Write the agent's jar without a class, or with a class of its name without its methods."""
    with zipfile.ZipFile(AGENT_JAR) as agent, zipfile.ZipFile(jar, "w") as changed:
        for name in agent.namelist():
            if name != RULE:
                changed.writestr(name, agent.read(name))
        if bodiless:
            renamed = agent.read(RULE).replace(b"bounded", b"renamed")
            changed.writestr(RULE, renamed)
    return jar


def test_a_mutant_that_does_not_fit_the_agent_is_refused(java: Java, tmp_path: Path) -> None:
    """It would be the healthy agent."""
    out = tmp_path / "mutant.jar"
    said = "mutant bound-above-end does not fit the agent: insync.core.logstart.LogStartRule"
    gone = without_rule(tmp_path / "gone.jar", bodiless=False)
    for agent in (gone, CLIENTS_JAR):
        refused = write_mutant(java, "bound-above-end", out, agent)
        assert refused == f"{said}: the agent has no such class\n"
    renamed = without_rule(tmp_path / "renamed.jar", bodiless=True)
    refused = write_mutant(java, "bound-above-end", out, renamed)
    assert refused == f"{said}.bounded: found 0 methods, expected 1\n"
    assert not out.exists()


def test_the_jar_that_is_shipped_has_no_mutant() -> None:
    with zipfile.ZipFile(AGENT_JAR) as agent:
        assert [name for name in agent.namelist() if "mutant" in name.lower()] == []


@pytest.mark.parametrize(
    "mutant",
    [pytest.param(each, marks=[] if each in SHORT else pytest.mark.long) for each in BROKEN],
)
def test_the_cores_tests_fail_with_a_mutant(java: Java, mutant: str, tmp_path: Path) -> None:
    """A class of them, which passes with the agent."""
    jar = tmp_path / "mutant.jar"
    assert write_mutant(java, mutant, jar) == ""
    failed = run_core_tests(java, jar, BY_JAVA[mutant])
    assert failed.returncode == 1, failed.stderr
    assert "AssertionFailedError" in failed.stdout
