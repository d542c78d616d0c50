"""Calls the `insync` command: as a process of its own, or in the process of the test."""

import json
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import IO, Any

import pytest

from insync.cli.app import invoke

INSYNC = Path(sys.executable).with_name("insync")
TIMEOUT_S = 420.0
"""Ends a command that hangs; how long one may take is for its test to assert."""

Argument = str | Path
Done = subprocess.CompletedProcess[str]


def insync(
    *arguments: Argument, env: Mapping[str, str] | None = None, within_s: float = TIMEOUT_S
) -> Done:
    return _run(INSYNC, *arguments, env=env, within_s=within_s)


def insync_json(
    *arguments: Argument,
    codes: Collection[int] = (0,),
    env: Mapping[str, str] | None = None,
    within_s: float = TIMEOUT_S,
) -> Any:
    """Run the installed command with --json, expect one of these exit codes, return its JSON."""
    done = _run(INSYNC, *arguments, "--json", env=env, within_s=within_s)
    assert done.returncode in codes, done.stderr
    return json.loads(done.stdout)


def start_insync(
    *arguments: Argument,
    stdout: int | IO[bytes] = subprocess.DEVNULL,
    stderr: int | IO[bytes] = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    return subprocess.Popen([INSYNC, *arguments], stdout=stdout, stderr=stderr)


def run_python(
    *arguments: Argument, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Done:
    """Run this Python, as with `-m MODULE` or `-c SCRIPT`, to its end."""
    return _run(sys.executable, *arguments, cwd=cwd, env=env)


def analyse(*arguments: Argument) -> Done:
    """Run the analysis as a process of its own, as the commands do."""
    return run_python("-m", "insync.analysis.job", *arguments)


def invoke_json(
    capsys: pytest.CaptureFixture[str], *arguments: str, codes: Collection[int] = (0,)
) -> Any:
    """Run the command with --json in this process, expect these exit codes, return its JSON."""
    assert invoke([*arguments, "--json"]) in codes
    return json.loads(capsys.readouterr().out)


def invoke_refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run the command in this process on bad input; return the one line that says what is wrong."""
    assert invoke(list(arguments)) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.startswith("insync: ")
    assert written.err.count("\n") == 1
    return written.err


def _run(
    *command: Argument,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    within_s: float = TIMEOUT_S,
) -> Done:
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=within_s, cwd=cwd, env=env
    )
