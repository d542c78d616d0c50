"""Define how a run reports its progress; the command line draws it, other callers may ignore it."""

from typing import Protocol


class Progress(Protocol):
    """Receives the progress of a run."""

    def phase(self, text: str) -> None:
        """Report that a phase begins; `text` describes it in a few words."""

    def expect(self, repeats: int) -> None:
        """Report how many repeats all arms of the run have together."""

    def repeat_done(self) -> None:
        """Report that one more repeat is done."""


class NoProgress:
    """A Progress that shows nothing."""

    def phase(self, text: str) -> None:
        """Ignore it."""

    def expect(self, repeats: int) -> None:
        """Ignore it."""

    def repeat_done(self) -> None:
        """Ignore it."""
