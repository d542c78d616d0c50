"""A thread that repeats one step until a `with` block is left."""

import threading
from abc import ABC, abstractmethod
from typing import Self


class Background(ABC):
    """Repeats `_step` in a thread of its own while the `with` block runs.

    A step that raises ends the thread. `check` raises its error, and so does leaving the block,
    unless the block itself has raised.
    """

    def __init__(
        self, name: str, every_seconds: float = 0.0, stop_seconds: float | None = None
    ) -> None:
        """Plan a thread that waits `every_seconds` before each step.

        Leaving the block waits for a step that is under way, at most `stop_seconds` if given.
        """
        self._every_seconds = every_seconds
        self._stop_seconds = stop_seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._error: BaseException | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._over.set()
        self._thread.join(self._stop_seconds)
        if kind is None:
            self.check()

    def check(self) -> None:
        """Raise the error that ended the thread, if there is one."""
        if self._error is not None:
            raise self._error

    @abstractmethod
    def _step(self) -> None:
        """Do the work once."""

    def _loop(self) -> None:
        try:
            while not self._over.wait(self._every_seconds):
                self._step()
        except BaseException as error:
            self._error = error
