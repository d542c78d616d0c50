"""Made-up verifications: their sides, and their levels."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from insync.brokers.kafka.java import Java
from insync.brokers.kafka.versions import pinned
from insync.verify.campaign import Verify
from insync.verify.level import Level, Side, Verification
from insync.verify.request import VerifyRequest

BASELINE = Side(
    name="baseline", kafka="4.3.1", release=pinned("4.3.1"), jars="b" * 64, arm="stock",
    claims="stock",
)  # fmt: skip
CANDIDATE = Side(
    name="candidate", kafka="4.3.1", arm="request", claims="request", jars="c" * 64,
    release=replace(pinned("4.3.1"), path=Path("/builds/<mine>|libs")),
    settings={"num.io.threads": "2"},
)  # fmt: skip


def verification(
    seeds: tuple[int, ...] = (), kinds: tuple[str, ...] = (), **request: Any
) -> Verification:
    return Verification(
        candidate=CANDIDATE, baseline=BASELINE, request=VerifyRequest(**request), seeds=seeds,
        kinds=kinds, criteria_text="schema = 1\n", java=Java(Path("/java"), 17, "Java 17"),
    )  # fmt: skip


def campaign(*levels: type[Level]) -> Verify:
    return Verify(verification(), levels)
