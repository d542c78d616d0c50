"""Start JVMs that the kernel kills when the harness ends, even after a kill -9.

Linux kills a child when the *thread* that started it ends, if the child requested that
(PR_SET_PDEATHSIG, here through setpriv). So one thread starts every child and lives as long as
the harness; a kill -9 of the harness ends that thread as well.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from insync.errors import InputError, InsyncError
from insync.running import Running

_LAUNCHER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="insync-launcher")
_GONE_WITHIN_S = 10.0
_TELLING = re.compile(r"\b(ERROR|FATAL|\w*Exception|\w*Error)\b")
_QUOTED = 4
# A harness that is killed before its child requests the signal would leave the child behind.
# When this line runs, the child has requested it; it stops if the harness ($0) is not its parent.
_IF_WANTED = 'test "$PPID" = "$0" && exec "$@"'


def start(
    command: Sequence[str],
    *,
    log: Path,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    piped: bool = False,
) -> "subprocess.Popen[bytes]":
    """Start `command` in `folder`; append its standard output and error to `log`.

    If it is `piped`, its input and output are pipes. The child has its own session: a Ctrl-C in the
    terminal reaches only the harness, which then stops its children in order. Raises InputError
    when setpriv is missing.
    """
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise InputError("setpriv: not on the PATH, expected the package util-linux")
    wanted = ["sh", "-c", _IF_WANTED, str(os.getpid())]
    bound = [setpriv, "--pdeathsig", "KILL", "--", *wanted, *command]
    with log.open("ab") as written:
        return _LAUNCHER.submit(
            lambda: subprocess.Popen(
                bound,
                stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped else written,
                stderr=written,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )
        ).result()


@contextmanager
def answering(
    command: Sequence[str], *, log: Path, folder: Path, what: str
) -> Iterator[Callable[[str, int], list[str]]]:
    """Run `command` for a block; yield what sends it a word, and returns so many lines.

    That raises InsyncError, which says `what` it is, if it has ended.
    """
    child = start(command, log=log, folder=folder, piped=True)

    def ask(word: str, lines: int) -> list[str]:
        if child.stdin is None or child.stdout is None:
            raise InsyncError(f"{what} has no pipes")
        with suppress(OSError):  # its output has ended, too, which is an error below
            child.stdin.write(f"{word}\n".encode())
            child.stdin.flush()
        said = [child.stdout.readline().decode() for _ in range(lines)]
        if not all(said):
            raise InsyncError(f"{what} ended: {complaint(log)}")
        return said

    try:
        yield ask
    finally:
        kill([child])


def kill(processes: Sequence[Running]) -> None:
    """Kill all processes at once with SIGKILL and wait until they have ended.

    SIGKILL also ends a stopped or hanging JVM. Processes that have already ended are ignored.
    Raises InsyncError if a process does not end.
    """
    for process in processes:
        process.send_signal(signal.SIGKILL)
    for process in processes:
        try:
            process.wait(_GONE_WITHIN_S)
        except subprocess.TimeoutExpired:
            raise InsyncError(
                f"process {process.pid}: still there {_GONE_WITHIN_S:.0f} s after SIGKILL"
            ) from None


def run(command: Sequence[str], *, log: Path, folder: Path, within_s: float) -> int:
    """Run a short-lived `command` to its end and return its exit code; its output is in `log`.

    Raises InsyncError when it takes longer than `within_s` seconds; it is then killed.
    """
    process = start(command, log=log, folder=folder)
    try:
        return process.wait(within_s)
    except subprocess.TimeoutExpired:
        raise InsyncError(f"{command[0]}: not done in {within_s:g} s, see {log}") from None
    finally:
        kill([process])


def complaint(log: Path) -> str:
    """Summarize a failed process's log in one line, for an error message.

    This is the first few lines that mention an error, because later ones are consequences and
    stack traces. Without such lines it is the last few lines.
    """
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if _TELLING.search(line) and not line.startswith("at ")]
    return " | ".join(telling[:_QUOTED] or lines[-_QUOTED:]) or "it printed nothing"
