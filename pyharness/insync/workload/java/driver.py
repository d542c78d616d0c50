"""Drive the JVM of the Java clients: write commands to it, read its answers and event lines.

`Main.java` in plugin-java/clients lists the commands and answers. A thread reads the answers, so
that the JVM never waits for the harness. The JVM ends when its standard input does.
"""

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Final, Protocol

from insync.errors import InsyncError

ANSWER_SECONDS: Final = 30.0
READY: Final = "ready"
FAILED: Final = "failed"

Write = Callable[[bytes], None]


class Jvm(Protocol):
    """The running JVM; a `subprocess.Popen` with pipes is one."""

    stdin: IO[bytes] | None
    stdout: IO[bytes] | None


class Driver:
    """One JVM, which runs one workload after the other."""

    def __init__(self, jvm: Jvm, log: str) -> None:
        """Read the answers of `jvm`; errors name its `log`."""
        if jvm.stdin is None or jvm.stdout is None:
            raise InsyncError("the Java clients' process has no pipes")
        self._log = log
        self._input, self._output = jvm.stdin, jvm.stdout
        self._changed = threading.Condition()
        self._answers: dict[str, str] = {}
        self._failure: InsyncError | None = None
        self._writers: Mapping[str, Write] = {}
        self._on_failure: Callable[[BaseException], None] = lambda _: None
        self._reader = threading.Thread(target=self._read, name="java-clients", daemon=True)
        self._reader.start()

    def open(
        self,
        plan: Mapping[str, str],
        writers: Mapping[str, Write],
        on_failure: Callable[[BaseException], None],
    ) -> None:
        """Create the clients of a plan; `writers` write the lines of each kind of event."""
        self.answer(READY, ANSWER_SECONDS, keep=True)
        self._writers, self._on_failure = writers, on_failure
        self.send("open", *(f"{key}={value}" for key, value in plan.items()), "")
        self.answer("opened", ANSWER_SECONDS)

    def send(self, *lines: str) -> None:
        """Write lines to the JVM; raises InsyncError if it has ended."""
        try:
            self._input.write("".join(f"{line}\n" for line in lines).encode())
            self._input.flush()
        except (OSError, ValueError) as error:  # ValueError: closed
            raise self._failure or self._error("ended") from error

    def answer(self, word: str, seconds: float, *, other: str = "", keep: bool = False) -> str:
        """Wait for an answer, or the `other` one; return the whole line, and forget it.

        With `keep` it is not forgotten. Raises InsyncError if a client has failed, or if the answer
        takes longer than `seconds`.
        """
        with self._changed:
            words = (word, other)
            self._changed.wait_for(
                lambda: self._failure or any(each in self._answers for each in words), seconds
            )
            if self._failure is not None:
                raise self._failure
            found = next((each for each in words if each in self._answers), None)
            if found is None:
                raise self._error(f"no answer '{word}' within {seconds:.0f} s")
            return self._answers[found] if keep else self._answers.pop(found)

    def end_workload(self) -> None:
        """Close the clients of the open plan; the JVM can then run another one."""
        self._on_failure = lambda _: None
        with suppress(InsyncError):  # what failed is known already
            self.send("close")
            self.answer("closed", ANSWER_SECONDS)
        self._writers = {}
        with self._changed:
            self._answers = {READY: READY}

    def close(self) -> None:
        """Let the JVM end."""
        with suppress(OSError):
            self._input.close()

    def _read(self) -> None:
        """Handle every line until the JVM ends."""
        try:
            for line in self._output:
                self._handle(line)
        except (OSError, ValueError) as error:  # a file of events, or the pipe
            self._fail(self._error(repr(error)))
        else:
            self._fail(self._error("ended"))

    def _handle(self, line: bytes) -> None:
        word, _, rest = line.rstrip(b"\n").partition(b" ")
        kind = word.decode()
        if kind in self._writers:
            self._writers[kind](rest + b"\n")
        elif kind == FAILED:
            self._fail(self._error(rest.decode(errors="replace")))
        else:
            with self._changed:
                self._answers[kind] = line.decode().rstrip("\n")
                self._changed.notify_all()

    def _fail(self, error: InsyncError) -> None:
        with self._changed:
            self._failure = self._failure or error
            self._changed.notify_all()
        self._on_failure(error)

    def _error(self, problem: str) -> InsyncError:
        return InsyncError(f"Java clients: {problem}, see {self._log}")
