"""The arrows between the rooms: who may import whom, read off the sources."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "pyharness" / "insync"
BRIDGE = ROOT / "bridge" / "python" / "insync_bridge"

# Running and analysing meet in files only; each room lists what of ours it may import.
MAY_IMPORT = {
    "events": set(),
    "scenario": set(),
    "kafka": set(),
    "docker": set(),
    "images": {"kafka", "docker"},
    "bench": {"kafka"},
    "faults": {"events", "kafka"},
    "workload": {"events"},
    "cluster": {"kafka", "docker", "images"},
    "run": {"events", "scenario", "kafka", "images", "docker", "faults", "workload", "cluster"},
    "matrix": {"events", "scenario", "kafka", "run"},
    "verdict": {"events"},
    "testing": {"kafka", "cluster", "run"},
    "checks": set(),
    "tables": {"checks", "events", "kafka", "verdict", "report"},
    "report": {"events"},
}
ANALYSIS = ("checks", "tables", "verdict", "report")
SPARK = ("checks", "tables")


def imported(file: Path) -> set[str]:
    """Every module that a file imports, wherever in the file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def rooms(names: set[str]) -> set[str]:
    parts = (name.split(".") for name in names)
    return {words[1] for words in parts if words[0] == "insync" and len(words) > 2}


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_a_room_imports_only_what_it_may(room: str) -> None:
    for file in (PACKAGE / room).rglob("*.py"):
        others = (
            rooms(imported(file))
            - {room, "arms", "errors", "nodes", "owner", "running", "__version__"}
            - MAY_IMPORT[room]
        )
        assert not others, f"{file.relative_to(ROOT)} imports {sorted(others)}"


def test_only_checks_and_tables_import_spark() -> None:
    for file in PACKAGE.rglob("*.py"):
        if file.relative_to(PACKAGE).parts[0] not in SPARK:
            spark = {name for name in imported(file) if name.split(".")[0] == "pyspark"}
            assert not spark, f"{file.relative_to(ROOT)} imports {sorted(spark)}"


def test_only_the_bridge_imports_py4j() -> None:
    for file in PACKAGE.rglob("*.py"):
        py4j = {name for name in imported(file) if name.split(".")[0] == "py4j"}
        assert not py4j, f"{file.relative_to(ROOT)} imports {sorted(py4j)}"
    assert any("py4j.java_gateway" in name for f in BRIDGE.glob("*.py") for name in imported(f))


def test_the_analysis_knows_no_broker_client() -> None:
    for room in ANALYSIS:
        for file in (PACKAGE / room).rglob("*.py"):
            clients = {name for name in imported(file) if name.startswith("confluent_kafka")}
            assert not clients, f"{file.relative_to(ROOT)} imports {sorted(clients)}"


def test_every_room_is_listed() -> None:
    found = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    assert found == set(MAY_IMPORT) | {"cli"}


@pytest.mark.parametrize("source", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.name)
def test_a_files_first_lines_say_what_it_is_for(source: Path) -> None:
    assert ast.get_docstring(ast.parse(source.read_text(encoding="utf-8")))
