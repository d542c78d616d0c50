"""A stand-in for the java of a test JVM: it writes the results that a file beside it names."""

import json
import stat
from pathlib import Path

from insync.kafka_tests.jvm import JvmSide

# It is started as java is: flags, -cp PATH, the main class, the plan, the folder.
SCRIPT = """#!/usr/bin/env python3
import json, os, sys
plan, folder = sys.argv[-2:]
outcomes = json.load(open({outcomes!r}))
for line in open(plan):
    name, *ids = line.rstrip("\\n").split("\\t")
    part = os.path.join(folder, name + ".jsonl.part")
    if name not in outcomes:
        print("Exception: no class", name)
        sys.exit(2)
    with open(part, "w") as file:
        for id, outcome in outcomes[name].items():
            if ids and id not in ids:
                continue
            test = {{"id": id, "name": id, "shown": id}}
            print(json.dumps({{"type": "started", **test}}), file=file, flush=True)
            if outcome == "crash":
                file.write("{{")
                sys.exit(134)
            if isinstance(outcome, list):
                outcome = outcome[1 if "again" in folder else 0]
            end = {{"type": "ended", **test, "outcome": outcome, "ms": 1, "detail": outcome}}
            print(json.dumps(end), file=file)
        print(json.dumps({{"type": "class", "ms": 2, "cpu_ms": 1, "agent": None}}), file=file)
    os.rename(part, part.removesuffix(".part"))
"""


def fake_side(name: str, folder: Path, outcomes: dict[str, dict[str, str | list[str]]]) -> JvmSide:
    """Return a side whose tests end so: class, then test, then outcome.

    "crash" ends the JVM during the test; a list has the first outcome and that of a repetition.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.json"
    file.write_text(json.dumps(outcomes))
    java = folder / f"java-{name}"
    java.write_text(SCRIPT.format(outcomes=str(file)))
    java.chmod(java.stat().st_mode | stat.S_IXUSR)
    return JvmSide(name=name, java=java, jars=())
