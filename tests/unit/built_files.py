"""Stands in for what `make setup` builds and for what this machine has, in tests of plans."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from insync.brokers.kafka.versions import pinned
from insync.faults.support import shim
from insync.run import plan, requirements, version_support


def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, versions: str) -> Path:
    """Pretend that shim and jars are built, Java and Kafka found; work in an empty folder.

    `versions` is the table of versions. Returns the folder of the built files.
    """
    built = tmp_path / "built"
    built.mkdir()
    for name in ("shim.so", "agent.jar", "lab.jar", "logs.jar", "clients.jar"):
        (built / name).touch()
    (built / "table.properties").write_text(versions)
    monkeypatch.setattr(shim, "SHIM", built / "shim.so")
    monkeypatch.setattr(plan, "AGENT_JAR", built / "agent.jar")
    monkeypatch.setattr(plan, "LAB_JAR", built / "lab.jar")
    monkeypatch.setattr(plan, "LOGS_JAR", built / "logs.jar")
    monkeypatch.setattr(requirements, "CLIENTS_JAR", built / "clients.jar")
    monkeypatch.setattr(version_support, "VERSIONS_TABLE", built / "table.properties")
    monkeypatch.setattr(plan, "find_java", lambda: SimpleNamespace(description="Java 17"))
    monkeypatch.setattr(
        plan,
        "distribution",
        lambda version, *_: SimpleNamespace(version=version, release=pinned(version)),
    )
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return built
