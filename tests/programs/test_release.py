"""`make release DRY_RUN=1`: what a release would hold, made from the commit that is checked out."""

import hashlib
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from insync import __version__
from insync_release.notice import noticed
from programs.test_wheel import Installed, without

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a release; that it exists says that two builds had the same bytes."""
    folder = tmp_path_factory.mktemp("release") / "files"
    command = ["make", "--no-print-directory", "release", "DRY_RUN=1", f"OUT={folder}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"dry run: no tag v{__version__}" in done.stderr
    return folder


@pytest.mark.long
def test_two_clean_builds_give_the_same_bytes_and_sums_that_can_be_checked(made: Path) -> None:
    described = [file.name for file in made.iterdir() if file.suffix != ".sha512"]
    (wheel,) = (name for name in described if name.endswith(".whl"))
    assert sorted(described) == sorted([
        "Dockerfile", "LICENSE", "NOTICE", wheel, f"insync-{__version__}.cdx.json",
        f"insync-agent-{__version__}.jar", f"insync-agent-{__version__}.cdx.json",
        f"insync-lab-{__version__}.jar", f"insync-lab-{__version__}.cdx.json",
    ])  # fmt: skip
    sums = sorted(file.name for file in made.glob("*.sha512"))
    assert len(sums) == len(described) - 1
    done = subprocess.run(["sha512sum", "--check", *sums], cwd=made, capture_output=True, text=True)
    assert (done.returncode, done.stdout.count(": OK\n")) == (0, len(sums)), done.stderr
    with zipfile.ZipFile(made / wheel) as opened:
        for name in ("insync-agent", "insync-lab"):
            jar = made / f"{name}-{__version__}.jar"
            assert opened.read(f"insync/_built/{name}.jar") == jar.read_bytes()


@pytest.mark.long
def test_the_bills_of_materials_name_what_is_inside(made: Path) -> None:
    inside = {}
    for name in ("insync-agent", "insync-lab"):
        of_jar = json.loads((made / f"{name}-{__version__}.cdx.json").read_text())
        inside[name] = {(each["name"], each["version"]) for each in of_jar["components"]}
    assert {name for name, _ in inside["insync-agent"]} == {"byte-buddy"}
    assert set().union(*inside.values()) == set(noticed((ROOT / "NOTICE").read_text()))
    of_wheel = json.loads((made / f"insync-{__version__}.cdx.json").read_text())
    installed = {
        normalized(f"{each['name']}=={each['version']}") for each in of_wheel["components"]
    }
    pinned = (ROOT / "pyharness" / "constraints.txt").read_text().split()
    assert {"pyspark-client==4.2.0", "py4j==0.10.9.9"} <= installed <= set(map(normalized, pinned))


@pytest.mark.long
def test_the_bills_of_materials_say_which_files_they_are_of(made: Path) -> None:
    (wheel,) = made.glob("*.whl")
    jars = [(name, made / f"{name}-{__version__}.jar") for name in ("insync-agent", "insync-lab")]
    for name, file in (*jars, ("insync", wheel)):
        document = json.loads((made / f"{name}-{__version__}.cdx.json").read_text())
        what = document["metadata"]["component"]
        assert (what["name"], what["version"]) == (name, __version__)
        (sum_,) = what["hashes"]
        assert sum_["content"] == hashlib.sha512(file.read_bytes()).hexdigest()


@pytest.mark.long
def test_the_files_alone_are_installed_where_nothing_can_be_built(
    made: Path, tmp_path: Path
) -> None:
    """Of an empty environment only the wheel is used, and what its core requires."""
    (wheel,) = made.glob("*.whl")
    path = str(without(tmp_path / "commands", "gradle", "make", "mvn", "cc", "gcc", "javac"))
    installed = Installed(tmp_path / "env", wheel, sys.executable)
    done = installed.run("insync", "agent", "--json", cwd=tmp_path, PATH=path)
    jar = Path(json.loads(done.stdout)["jar"])
    assert jar.read_bytes() == (made / f"insync-agent-{__version__}.jar").read_bytes()
    assert jar.is_relative_to(installed.folder)
    done = installed.run("insync", "check", "kip-501", cwd=tmp_path, PATH=path)
    assert (done.returncode, done.stderr) == (0, "")


def normalized(pin: str) -> str:
    """Return `NAME==VERSION` with the name as PEP 503 compares it: tomli_w is tomli-w."""
    name, _, version = pin.partition("==")
    return f"{re.sub('[-_.]+', '-', name).lower()}=={version}"
