"""The arms with the agent: JVM flags, the listener that reports what our code did, its check."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AGENT = ROOT / "plugin-java" / "agent" / "build" / "libs" / "insync-agent.jar"
LISTENER = Path(__file__).parent / "java" / "insync" / "upstream" / "ReportStats.java"
ENABLE = "follower.fetch.pending.reads.insync.enable"
SCOPE = "follower.fetch.pending.reads.insync.scope"
BOUND = "follower.log.start.offset.bound.enable"
SNAPSHOT = "leader.fetch.snapshot.enable"
MARKING = ("read", "request")
# Kafka's tests build their own configs, so an arm is made by changing the defaults that they meet.
OPTIONS = {
    "off": (),
    "read": ("default-scope=read",),
    "request": ("default-scope=request",),
    "log-start": ("default-log-start=both",),
}
# Both may stand behind the beginning of a line of JUnit's own.
TOLD = re.compile(r"\[insync\] after (\S+) errors=(\d+) \{(.*)\}$", re.MULTILINE)
ERROR = re.compile(r"\[insync\] error in .*$", re.MULTILINE)


def flags(arm: str, folder: Path) -> list[str]:
    """Return the JVM's flags; the agent writes its events into `folder`."""
    options = ",".join((f"events={folder / 'events.jsonl'}", *OPTIONS[arm]))
    return [f"-javaagent:{AGENT}={options}"]


def compile_listener(class_path: str, folder: Path) -> Path:
    """Compile the listener for this JUnit and register it; return what goes on the class path."""
    services = folder / "META-INF" / "services"
    services.mkdir(parents=True, exist_ok=True)
    launcher = "org.junit.platform.launcher.TestExecutionListener"
    (services / launcher).write_text("insync.upstream.ReportStats\n", encoding="utf-8")
    command = ["javac", "-nowarn", "-d", str(folder), "-cp", f"{class_path}:{AGENT}", str(LISTENER)]
    subprocess.run(command, check=True)
    return folder


def progress(output: str) -> dict[str, dict[str, int]]:
    """Read from a JVM's output what the plugin had done after each class, since its start."""
    after = {}
    for name, errors, figures in TOLD.findall(output):
        pairs = (pair.split("=") for pair in figures.split(", "))
        after[name] = {"errors": int(errors), **{key: int(value) for key, value in pairs}}
    return after


def problems(arm: str, folder: Path, output: str) -> list[str]:
    """Return the signs that the arm was not what its name says, or that our own code failed."""
    found = ERROR.findall(output)
    after = list(progress(output).values())
    marks = after[-1]["marks_total"] if after else None
    if after and after[-1]["errors"] and not found:
        found.append(f"errors in our code: {after[-1]['errors']}")
    if marks is None or (marks > 0) != (arm in MARKING):
        found.append(f"marks made: {marks}, expected {'some' if arm in MARKING else 'none'}")
    lines = (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    starts = arm == "log-start"
    wanted = {
        ENABLE: arm in MARKING, SCOPE: "request" if arm == "request" else "read",
        BOUND: starts, SNAPSHOT: starts,
    }  # fmt: skip
    settings = [{name: e[name] for name in wanted if name in e} for e in events
                if e["type"] == "settings"]  # fmt: skip
    other = [each for each in settings if each != {name: wanted[name] for name in each}]
    if other or not settings:
        found.append(f"settings of the brokers: {other or 'none'}, expected {wanted} in all")
    return list(dict.fromkeys(found))
