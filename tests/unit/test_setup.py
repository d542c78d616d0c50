"""The scripts behind `make setup` and `make demo`."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TIMED = ROOT / "pyharness" / "timed.sh"
REQUIREMENTS = ROOT / "pyharness" / "requirements.py"


def timed(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [TIMED, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_parts_of_a_demo_are_printed_in_their_order(tmp_path: Path) -> None:
    timed(tmp_path, "forgotten", "true")
    timed(tmp_path, "--start")
    for part in ("install", "build", "install"):
        assert timed(tmp_path, part, "true").returncode == 0
    head, *rows = timed(tmp_path, "--report").stdout.splitlines()
    assert head.startswith("insync: ")
    number = r" +\d+\.\d"
    names = [re.fullmatch(rf"  (.+?){number}{number}", row) for row in rows]
    assert [name and name[1].strip() for name in names] == ["install", "build", "in all"]


def test_what_is_timed_keeps_its_output_and_its_exit_code(tmp_path: Path) -> None:
    done = timed(tmp_path, "run", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (done.returncode, done.stdout, done.stderr) == (3, "out\n", "err\n")


def test_a_part_that_measures_its_own_parts_has_notes_of_its_own(tmp_path: Path) -> None:
    outer = {**os.environ, "NOTES": "build/outer.txt"}
    subprocess.run([TIMED, "outer", TIMED, "inner", "true"], cwd=tmp_path, env=outer, check=True)
    notes = [(tmp_path / "build" / name).read_text() for name in ("outer.txt", "times.txt")]
    assert [note.split()[0] for note in notes] == ["outer", "inner"]


def required(purpose: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, REQUIREMENTS, ROOT / "pyproject.toml", purpose],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {re.split(r"[<>=]", line)[0] for line in done.stdout.split()}


def test_brokers_run_without_an_engine_and_an_analysis_without_spark_and_what_tests_need() -> None:
    assert {"confluent-kafka", "typer", "hatchling", "editables"} <= required("run")
    assert {"pyspark-client", "pysail", "scipy"} <= required("analysis")
    assert "pyspark" in required("spark")
    assert {"pytest", "mypy", "playwright"} <= required("develop")
    assert "cyclonedx-bom" in required("release")
    kinds = [required(purpose) for purpose in ("run", "analysis", "spark", "develop", "release")]
    assert sum(map(len, kinds)) == len(set().union(*kinds))


def test_what_is_required_has_a_pinned_version() -> None:
    pins = (ROOT / "pyharness" / "constraints.txt").read_text().split()
    pinned = {name_of(pin) for pin in pins}
    for purpose in ("run", "analysis", "spark", "develop", "release"):
        assert {name_of(each) for each in required(purpose)} <= pinned


def name_of(requirement: str) -> str:
    """Return a package's name without extras and version, as PEP 503 compares names."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=]", requirement)[0]).lower()
