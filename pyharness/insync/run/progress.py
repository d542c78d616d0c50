"""How a run tells what it is doing; the command line draws it, others may ignore it."""

from typing import Protocol


class Progress(Protocol):
    """Told of every phase of a run."""

    def phase(self, text: str) -> None:
        """Hear that a phase begins; `text` says which, in a few words."""

    def expect(self, repeats: int) -> None:
        """Hear how many repeats the run will take over all arms."""

    def repeat_done(self) -> None:
        """Hear that one more repeat is over."""


class NoProgress:
    """A Progress that shows nothing."""

    def phase(self, text: str) -> None:
        """Ignore it."""

    def expect(self, repeats: int) -> None:
        """Ignore it."""

    def repeat_done(self) -> None:
        """Ignore it."""
