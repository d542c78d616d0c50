"""What a run on an existing cluster cannot do is refused in one line, before it connects."""

from pathlib import Path

import pytest

from commands import invoke_refused
from insync.brokers.cluster import admin
from insync.faults.registry import KINDS, why_not

EXISTING = ("--cluster", "existing", "--bootstrap", "127.0.0.1:9")
STALLED = str(Path(__file__).parents[2] / "data" / "existing" / "stalled.toml")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("control", "--cluster", "existing"), "expected --bootstrap with it"),
        (("control", "--bootstrap", "a:1"), "--bootstrap: expected --cluster existing with it"),
        (("control", "--allow-faults"), "--allow-faults: expected --cluster existing with it"),
        (("control", *EXISTING), "expected --arms with the one arm"),
        (("control", *EXISTING, "--arms", "stock,off"), "expected --arms with the one arm"),
        (("control", *EXISTING, "--arms", "off"), "--arms off: expected --bridges"),
        (("control", *EXISTING, "--arms", "off", "--bridges", "/none"), "--bridges /none: "),
        ((STALLED, *EXISTING, "--arms", "stock"), "injects stall: expected --allow-faults"),
        (
            ("freeze", *EXISTING, "--arms", "stock", "--allow-faults"),
            "freeze injects freeze: expected only kinds that need no node of insync's own",
        ),
        (("kafka-7104", *EXISTING, "--arms", "stock"), "a race, expected a scenario without"),
        (("transactions", *EXISTING, "--arms", "stock"), "or a fault's topic: expected none"),
        (
            ("control", *EXISTING, "--arms", "stock", "--client", "java"),
            "--client java: expected librdkafka",
        ),
        (
            ("control", *EXISTING, "--arms", "stock", "--events-topic", "e"),
            "--events-topic e: expected none",
        ),
        (("control", *EXISTING, "--arms", "stock"), "127.0.0.1:9: no answer"),
    ],
)
def test_it_is_one_line(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    problem: str,
) -> None:
    monkeypatch.setattr(admin, "ANSWERS_WITHIN_S", 0.2)
    assert problem in invoke_refused(capsys, "run", *arguments)


def test_only_kinds_of_the_preloaded_library_act_on_brokers_of_others() -> None:
    possible = {name for name in KINDS if "existing" in KINDS[name].probes}
    assert possible == {"stall", "read-error"}
    assert why_not("kill", "existing", Path()) == "kill: not for --cluster existing"
