"""The plugin's options and marker: what does not fit together is one line, before any test."""

import os
from pathlib import Path

import pytest

from commands import Done, run_python
from insync.errors import InputError
from insync.faults.registry import KINDS
from insync.run.requirements import needs, stalled
from insync.testing import faults

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
