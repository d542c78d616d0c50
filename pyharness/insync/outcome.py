"""The outcome of whatever is judged: its order, and how text, pages, JUnit and shells show it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Outcome(StrEnum):
    """An outcome, the worst first; its text is also its CSS class.

    Attributes:
        symbol: what precedes its name where it is shown.
        colour: its colour on a terminal.
        exit_code: that of a command whose result it is.
        tag: the element of a JUnit test case; None: the case has none.

    """

    symbol: str
    colour: str
    exit_code: int
    tag: str | None

    def __new__(
        cls,
        value: str,
        symbol: str = "",
        colour: str = "",
        exit_code: int = 0,
        tag: str | None = None,
    ) -> Outcome:
        """Make a member; the defaults let mypy accept a look-up, `Outcome("pass")`."""
        made = str.__new__(cls, value)
        made._value_ = value
        made.symbol, made.colour, made.exit_code, made.tag = symbol, colour, exit_code, tag
        return made

    FAIL = "fail", "\u2717", "red", 1, "failure"
    UNKNOWN = "unknown", "?", "yellow", 3, "error"
    PASS = "pass", "\u2713", "green", 0, None
    OBSERVED = "observed", "\u25cb", "cyan", 3, "skipped"
    """Nothing is expected of it."""
    SKIPPED = "skipped", "\u2013", "dim", 3, "skipped"
    """It cannot run here."""

    @property
    def mark(self) -> str:
        """Return the symbol and the name."""
        return f"{self.symbol} {self}"

    @property
    def is_judged(self) -> bool:
        """Whether it says if what was expected holds."""
        return self in (Outcome.PASS, Outcome.FAIL)

    @property
    def is_problem(self) -> bool:
        """Whether a reader must look at it: something is broken, or not known."""
        return self in (Outcome.FAIL, Outcome.UNKNOWN)

    @property
    def verdict(self) -> Outcome:
        """Return it as the verdict of a whole: if nothing was judged, that is unknown."""
        return self if self.is_judged else Outcome.UNKNOWN


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the worst outcome; unknown without any."""
    found = set(outcomes)
    return next((each for each in Outcome if each in found), Outcome.UNKNOWN)
