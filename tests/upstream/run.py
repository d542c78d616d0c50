"""Runs Kafka's own tests without the agent and with it, and compares: `make upstream-tests`.

Exit code 0: every arm gives the results of `absent`, in the number of tests that this version of
Kafka has, was what its name says, and our code has caught no exception. 1: not so. 2: bad usage.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from patch_kafka.own_tests import class_path
from patch_kafka.parts import kafka_version
from upstream import agent_arm
from upstream.results import ABSENT, Results, differences, read_results, table, wrong_counts

VERSIONS = Path(__file__).with_name("versions.toml")
PATCHED = "patched"
"""The classes of the source patch, without the agent: only if asked for."""
BY_DEFAULT = (ABSENT, *agent_arm.OPTIONS)
ARMS = (*BY_DEFAULT, PATCHED)
LAUNCHER = (
    "org.junit.platform.console.ConsoleLauncher",
    "execute",
    "--disable-banner",
    "--disable-ansi-colors",
    "--details=testfeed",
)
# One per test engine: JUnit 4's tests are run by "vintage".
REPORTS = ("TEST-junit-jupiter.xml", "TEST-junit-vintage.xml")
# The agent has nothing of KIP-501 for these.
WITHOUT_KIP_501 = ("1.1.1",)
WITHIN_S = 30 * 60.0
DUMP_WITHIN_S = 10.0


def main() -> int:
    """Run the requested arms, always with `absent`, and print the results."""
    versions = tomllib.loads(VERSIONS.read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(prog="upstream.run", description=__doc__)
    parser.add_argument("kafka", choices=versions)
    parser.add_argument("arm", nargs="*", metavar="ARM", help=f"of {', '.join(ARMS)}; default all")
    parser.add_argument("--again", action="store_true", help="only compare what the last run left")
    asked = parser.parse_intermixed_args()
    for arm in asked.arm:
        if arm not in ARMS:
            parser.error(f"arm {arm!r}: expected one of {', '.join(ARMS)}")
    if PATCHED in asked.arm and asked.kafka != kafka_version():
        parser.error(f"arm {PATCHED!r}: expected Kafka {kafka_version()}, which the patch is for")
    folder = agent_arm.ROOT / "build" / "upstream" / asked.kafka
    expected = versions[asked.kafka]
    lacking = agent_arm.MARKING if asked.kafka in WITHOUT_KIP_501 else ()
    known = [arm for arm in ARMS if arm not in lacking]
    arms = [arm for arm in known if arm == ABSENT or arm in (asked.arm or BY_DEFAULT)]
    if not asked.again:
        for arm in arms:
            run_arm(folder, arm, list(expected))
    return compare(folder, arms, expected)


def run_arm(folder: Path, arm: str, classes: list[str]) -> None:
    """Run the classes in one JVM; leaves output, JUnit's XML and our events in `folder`/`arm`."""
    here = folder / arm
    shutil.rmtree(here, ignore_errors=True)
    (here / "tmp").mkdir(parents=True)
    flags = ["-Xmx2g", "-XX:-UsePerfData", f"-Djava.io.tmpdir={here / 'tmp'}"]
    path = (folder / "class.path").read_text(encoding="utf-8")
    if arm == PATCHED:
        path = ":".join(map(str, class_path()))
    elif arm != ABSENT:
        flags += agent_arm.flags(arm, here)
        path = f"{path}:{agent_arm.compile_listener(path, here / 'listener')}"
    chosen = [word for name in classes for word in ("-c", name)]
    command = ["java", *flags, "-cp", path, *LAUNCHER, "--reports-dir", str(here), *chosen]
    began = time.monotonic()
    with (here / "output.txt").open("wb") as output:
        jvm = subprocess.Popen(command, cwd=here, stdout=output, stderr=subprocess.STDOUT)
        _wait(jvm)
    shutil.rmtree(here / "tmp", ignore_errors=True)
    print(f"{arm}: {time.monotonic() - began:.0f} s, exit code {jvm.returncode}", flush=True)


def _wait(jvm: subprocess.Popen[bytes]) -> None:
    """Wait for the end; a JVM that hangs prints its threads and is killed."""
    try:
        jvm.wait(WITHIN_S)
    except subprocess.TimeoutExpired:
        jvm.send_signal(signal.SIGQUIT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            jvm.wait(DUMP_WITHIN_S)
    finally:
        jvm.kill()
        jvm.wait()


def compare(folder: Path, arms: list[str], expected: dict[str, int]) -> int:
    """Print the table and everything that is not as it should be; return the exit code."""
    results: dict[str, Results] = {}
    faults: list[str] = []
    for arm in arms:
        results[arm], problems = _read_arm(folder / arm, arm)
        if results[arm]:
            problems += wrong_counts(results[arm], expected)
        faults += [f"{arm}: {problem}" for problem in problems]
    print(*table(expected, results), sep="\n")
    for name, result in results[ABSENT].items():
        if result.outcome != "passed":
            print(f"\nstock Kafka: {name}: {result.outcome}\n{result.detail}")
    # A JVM that left no report is one fault, not one of each test.
    for arm in (arm for arm in arms if results[ABSENT] and results[arm]):
        for name, before, after, detail in differences(results[ABSENT], results[arm]):
            faults.append(f"{arm}: {name}: {before} -> {after}\n{detail}".rstrip())
    for fault in faults:
        print(f"\n{fault}")
    print(f"\n{'NOT ' if faults else ''}the same results in {', '.join(arms)}")
    return 1 if faults else 0


def _read_arm(here: Path, arm: str) -> tuple[Results, list[str]]:
    """Return an arm's results, and what invalidates them; print what the plugin did."""
    try:
        reports = [here / name for name in REPORTS]
        results = read_results(next((each for each in reports if each.is_file()), reports[0]))
        if arm in (ABSENT, PATCHED):
            return results, []
        output = (here / "output.txt").read_text(encoding="utf-8", errors="replace")
        for figures in list(agent_arm.progress(output).values())[-1:]:
            print(f"{arm}:", ", ".join(f"{key} {value}" for key, value in figures.items()))
        return results, agent_arm.problems(arm, here, output)
    except (OSError, ValueError) as error:
        return {}, [str(error)]


if __name__ == "__main__":
    sys.exit(main())
