"""Define what is verified, and what a level is.

A level raises InsyncError if it cannot run; it is then unknown, and the others still run.
"""

from collections.abc import Callable
from dataclasses import dataclass

from insync.brokers.kafka.java import Java
from insync.engine.campaign import Place
from insync.result import Result
from insync.verify.criteria import Criteria
from insync.verify.request import VerifyRequest
from insync.verify.sides import Side


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """What is verified.

    Attributes:
        candidate: the build that is judged.
        baseline: the build with which it is compared.
        request: what was asked for.
        seeds: the seeds of the level faults.
        kinds: the kinds of faults from which the seeds are drawn.
        criteria: the criteria of the file or of insync.
        java: the Java that runs brokers.

    """

    candidate: Side
    baseline: Side
    request: VerifyRequest
    seeds: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    criteria: Criteria
    java: Java


Run = Callable[[Verification, Place], Result]
"""Runs a level in the folder of its name below that of the verification, which may hold what an
interrupted one left there; the result is about the level."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Level:
    """A level.

    Attributes:
        name: that of its file.
        says: what it judges.
        run: runs it.
        long: whether it is left out where no level is named, because it takes long.
        brokers: whether brokers run.

    """

    name: str
    says: str
    run: Run
    long: bool = False
    brokers: bool = True
