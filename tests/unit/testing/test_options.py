"""Options, markers and arguments that do not fit together are one line, before any test."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from commands import Done, run_python
from insync.errors import InputError
from insync.faults.registry import KINDS
from insync.run.requirements import needs, stalled
from insync.testing import KafkaCluster, faults
from insync.testing.kafka_cluster import settings_of

TEST = "import pytest\n@pytest.mark.insync({})\ndef test_it():\n    pass\n"


def pytest_of(folder: Path, marker: str, *arguments: str) -> Done:
    (folder / "test_it.py").write_text(TEST.format(marker))
    # Named here, and not found by its entry point, of which these sources may have none.
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    plugin = ("-p", "insync.testing.plugin", "-p", "no:cacheprovider")
    return run_python(
        "-m", "pytest", "-q", "--strict-markers", *plugin, *arguments, cwd=folder, env=environment
    )


def test_the_marker_is_registered_and_costs_nothing(tmp_path: Path) -> None:
    done = pytest_of(tmp_path, "brokers=3")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("marker", "arguments", "problem"),
    [
        ("", ["--insync-kafka", "4.3.1", "--insync-libs", "x"], "--insync-libs x: expected one"),
        ("", ["--insync-cluster", "existing"], "--insync-bootstrap None: expected both"),
        ("", ["--insync-bootstrap", "a:1"], "--insync-cluster auto, --insync-bootstrap a:1"),
        ("'control'", [], "marker insync('control'): expected, by name, brokers"),
        ("scenaro='control'", [], "marker insync(scenaro): expected, by name, brokers"),
    ],
)
def test_what_does_not_fit_is_one_line(
    tmp_path: Path, marker: str, arguments: list[str], problem: str
) -> None:
    done = pytest_of(tmp_path, marker, *arguments)
    assert done.returncode == 4
    assert problem in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_a_plugin_that_is_loaded_loads_no_broker_code() -> None:
    script = (
        "import sys, insync.testing.plugin\n"
        "print(*(name for name in sys.modules if name.startswith('insync.brokers')"
        " or name.split('.')[0] in ('docker', 'confluent_kafka', 'pydantic', 'pyspark')))"
    )
    done = run_python("-c", script)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


def test_every_kind_can_be_prepared() -> None:
    """Each requirement of a kind is one of the cluster that is prepared for it."""
    for name in KINDS:
        faults.scenario_of([name])
    assert stalled(faults.scenario_of(["stall"])) == {1, 2, 3}
    assert needs(faults.scenario_of(["link"])).links
    assert needs(faults.scenario_of(["disk-stall"]), broker=2).disk_rules > 0
    assert not stalled(faults.scenario_of(["freeze"]))


def test_an_unknown_kind_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'frezee', expected some of .*freeze"):
        faults.require_kinds(["frezee"], "local", tmp_path)


def test_the_kinds_without_cost_need_no_proxy_and_no_file_system() -> None:
    cheap = faults.scenario_of(faults.CHEAP)
    assert not needs(cheap).links
    assert not needs(cheap).disk_rules


@pytest.mark.parametrize("wanted", [{"brokers": 1}, {"brokers": 99}, {"folder": "a/b"}])
def test_a_cluster_can_be_planned(wanted: dict[str, Any]) -> None:
    KafkaCluster(**wanted, settings={"num.io.threads": 3})


def test_settings_of_python_types_are_written_as_kafka_reads_them() -> None:
    given = {"a": 3, "b": True, "c": False, "d": "x", "e": Path("/f")}
    assert settings_of(given) == {"a": "3", "b": "true", "c": "false", "d": "x", "e": "/f"}
    assert settings_of(None) == {}


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        *(
            ({"brokers": value}, f"brokers: {value!r}, expected a whole number from 1 to 99")
            for value in (0, -1, 100, 1_000, True, 2.0, "3", None)
        ),
        ({"kafka": 4.3}, "kafka: 4.3, expected a string"),
        ({"cluster": None}, "cluster: None, expected a string"),
        ({"plugin": True}, "plugin: True, expected a string"),
        ({"jvm": "-Xmx1g"}, "jvm: '-Xmx1g', expected a list of JVM flags"),
        ({"jvm": ["Xmx1g"]}, "jvm: 'Xmx1g', expected a JVM flag such as '-Xmx1g'"),
        ({"settings": ["a=b"]}, "settings: ['a=b'], expected a mapping of names to values"),
        ({"settings": {1: "x"}}, "settings: the name 1, expected the name of a broker config"),
        ({"settings": {"": "x"}}, "settings: the name '', expected the name of a broker config"),
        ({"settings": {"a": None}}, "settings: a: None, expected a string, an int or a bool"),
        ({"settings": {"a": 1.5}}, "settings: a: 1.5, expected a string, an int or a bool"),
        ({"folder": 7}, "folder: 7, expected a path"),
        ({"folder": ""}, "folder: '', expected a path"),
    ],
)
def test_a_wrong_argument_is_refused_in_one_line(wanted: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(problem)}$"):
        KafkaCluster(**wanted)
