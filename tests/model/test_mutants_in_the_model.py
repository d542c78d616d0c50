"""The differential model finds mutants: agents of which one rule is broken on purpose."""

from pathlib import Path

import pytest
from hypothesis import Phase

from insync.brokers.kafka.java import find_java
from model.driver import AGENT, started
from model.machine import explore
from mutants import BY_MODEL, write_mutant

DISAGREE = "is in sync from a lag limit of|has pending|^marks: Java"


@pytest.mark.long
@pytest.mark.parametrize(("mutant", "scope"), BY_MODEL)
def test_the_model_disagrees_with_a_mutant(mutant: str, scope: str, tmp_path: Path) -> None:
    jar = tmp_path / "mutant.jar"
    assert write_mutant(find_java(), mutant, jar, AGENT) == ""
    with started(tmp_path, agent=jar) as driver:
        assert f"[insync] mutant {mutant}\n" in (tmp_path / "driver.log").read_text()
        with pytest.raises(AssertionError, match=DISAGREE):
            explore(driver, scope, scope, phases=(Phase.generate,))
