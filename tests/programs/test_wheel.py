"""The wheel contains all that `insync` needs: installed outside the checkout, it runs brokers."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from analysed import unpack
from commands import Argument, Done, run_python
from insync import __version__
from insync.events.schema import VERDICT
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
    jars = ("insync-agent.jar", "insync-lab.jar")
    for built in (*jars, "libinsync_stall.so", "broker-versions.properties"):
        assert f"insync/_built/{built}" in inside


def test_it_is_marked_as_of_this_platform(wheel: Path) -> None:
    assert "-py3-none-linux_" in wheel.name


class Installed:
    """An environment of its own that has the wheel, and what its core requires."""

    def __init__(self, folder: Path, wheel: Path, python: str, *more: str) -> None:
        self.folder = folder
        run = subprocess.run([python, "-m", "venv", "--without-pip", folder], check=False)
        assert run.returncode == 0
        pinned = ROOT / "pyharness" / "constraints.txt"
        options = ("-q", "--no-compile", "--disable-pip-version-check", "-c", pinned)
        into = ("-m", "pip", "--python", folder / "bin" / "python", "install")
        done = run_python(*into, *options, wheel, *more)
        assert done.returncode == 0, done.stderr

    def run(self, program: str, *arguments: Argument, cwd: Path, **environment: str) -> Done:
        """Run one of its programs, without the sources of this checkout."""
        own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(
            [self.folder / "bin" / program, *arguments], cwd=cwd, env={**own, **environment},
            capture_output=True, text=True, check=False, timeout=180,
        )  # fmt: skip


def without(folder: Path, *left_out: str) -> Path:
    """Make a folder with links to all commands of the PATH except some; return it."""
    folder.mkdir()
    for each in map(Path, os.environ["PATH"].split(":")):
        for command in each.iterdir() if each.is_dir() else ():
            link = folder / command.name
            if command.name not in left_out and not link.is_symlink():
                link.symlink_to(command)
    return folder


@pytest.fixture(scope="module")
def core(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("core") / "env", wheel, sys.executable, "pytest")


PLUGIN = ROOT / "tests" / "data" / "pytest-plugin"


def smoke(core: Installed, folder: Path) -> None:
    """Use the core as a user would: the command, and ten lines with a cluster and its faults."""
    assert core.run("insync", "--version", cwd=folder).stdout == f"insync {__version__}\n"
    listed = core.run("insync", "scenarios", cwd=folder)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert [line.split()[0] for line in listed.stdout.splitlines()] == builtin_names()
    shutil.copy(PLUGIN / "ten_lines.py", folder / "test_ten_lines.py")
    done = core.run("pytest", "-q", "--insync-cluster", "local", cwd=folder)
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr


def test_a_users_ten_lines_pass_in_a_scratch_folder(core: Installed, tmp_path: Path) -> None:
    """From the installed wheel alone: its command, its agent, its pytest plugin."""
    smoke(core, tmp_path)


def test_a_history_without_the_analysis_is_a_refusal(core: Installed, tmp_path: Path) -> None:
    test = "def test_it(insync_history):\n    insync_history.check()\n"
    (tmp_path / "test_it.py").write_text(test)
    at = ("--insync-cluster", "existing", "--insync-bootstrap", "127.0.0.1:9")
    done = core.run("pytest", "-q", *at, cwd=tmp_path)
    assert done.returncode == 1
    assert "history.check: needs pyspark, which is not installed" in done.stdout


OTHERS = [
    pytest.param(each, marks=pytest.mark.long)
    for each in (("matrix",), ("fuzz", "--seeds", "1"), ("report", "."), ("tables", "."))
]


@pytest.mark.parametrize(
    "command", [("run", "control"), ("compare", ".", "."), *OTHERS], ids=lambda command: command[0]
)
def test_a_command_without_its_extra_names_it_in_one_line(
    core: Installed, tmp_path: Path, command: tuple[str, ...]
) -> None:
    done = core.run("insync", *command, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"insync: {command[0]}: needs pyspark")
    assert "pip install 'insync[analysis]'" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_a_recorded_run_is_analysed_without_java(wheel: Path, tmp_path: Path) -> None:
    """Of an empty environment only the wheel and what its analysis requires are used."""
    extra = f"insync[analysis] @ {wheel.as_uri()}"
    installed = Installed(tmp_path / "env", wheel, sys.executable, extra)
    run = unpack("kip-501", tmp_path)
    known = json.loads((run / VERDICT).read_text())["verdict"]
    path = str(without(tmp_path / "commands", "java"))
    done = installed.run("insync", "report", run, "--json", cwd=tmp_path, PATH=path)
    found = json.loads(done.stdout)
    assert (found["verdict"], found["engine"]) == (known, f"Sail {version('pysail')}"), done.stderr
    assert not list(installed.folder.rglob("pyspark/jars")), "no Spark is installed"


@pytest.mark.long
@pytest.mark.parametrize("python_version", ["3.12", "3.13"])
def test_the_core_runs_on_another_python(wheel: Path, tmp_path: Path, python_version: str) -> None:
    python = shutil.which(f"python{python_version}")
    if python is None or subprocess.run([python, "--version"], check=False).returncode:
        pytest.skip(f"no python{python_version} on the PATH")
    smoke(Installed(tmp_path / "env", wheel, python, "pytest"), tmp_path)
