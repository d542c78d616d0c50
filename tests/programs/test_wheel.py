"""The wheel contains all that `insync` needs: installed alone, it finds its agent and its data."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from commands import run_python
from insync.scenario.load import builtin_names

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    alone = ("-q", "--no-deps", "--no-build-isolation")
    done = run_python("-m", "pip", "wheel", *alone, "-w", folder, ROOT)
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("insync-*.whl")
    return made


def test_every_file_of_the_packages_is_inside(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    wanted = {
        str(file.relative_to(source))
        for source in (ROOT / "pyharness", ROOT / "bridge" / "python")
        for package in ("insync", "insync_bridge")
        for file in (source / package).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert wanted <= inside
    for built in ("insync-agent.jar", "libinsync_stall.so", "broker-versions.properties"):
        assert f"insync/_built/{built}" in inside


def test_it_is_marked_as_of_this_platform(wheel: Path) -> None:
    assert "-py3-none-linux_" in wheel.name


def test_installed_alone_it_finds_the_agent_and_the_scenarios(wheel: Path, tmp_path: Path) -> None:
    """Dependencies come from this environment; of the project, only the wheel is installed."""
    target = tmp_path / "site"
    done = run_python("-m", "pip", "install", "-q", "--no-deps", "--target", target, wheel)
    assert done.returncode == 0, done.stderr
    environment = {**os.environ, "PYTHONPATH": str(target)}
    script = "import sys; from insync.cli import main; sys.exit(main())"

    def printed(command: str) -> Any:
        done = run_python("-c", script, command, "--json", env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    jar = Path(printed("agent")["jar"])
    assert jar.is_file()
    assert target in jar.parents
    names = [scenario["name"] for scenario in printed("scenarios")]
    assert names == builtin_names()
