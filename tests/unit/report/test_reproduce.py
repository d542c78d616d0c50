"""A report says how to repeat what it shows, by a valid command, and where it ran."""

import json
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from insync.cli.app import app, invoke
from insync.report.reproduce import environment_of, run_command, where
from unit.verdict.made_up import with_workload
from unit.verdict.test_decide import RUN


def parsed(command: str) -> dict[str, object]:
    """Return the parameters that the command line reads from a command."""
    name, verb, *words = shlex.split(command)
    assert name == "insync"
    group = get_command(app)
    found = group.commands[verb].make_context(verb, list(words))  # type: ignore[attr-defined]
    return dict(found.params)


@pytest.mark.parametrize(("builtin", "scenario"), [(True, "made-up"), (False, "scenario.toml")])
def test_a_runs_command_names_every_option_that_affects_it(builtin: bool, scenario: str) -> None:
    run = RUN.model_copy(update={"builtin": builtin, "cluster": "docker", "seed": 11})
    found = parsed(run_command(run))
    assert {key: found[key] for key in ("scenario", "arms", "kafka", "cluster")} == {
        "scenario": scenario, "arms": "stock,plugin", "kafka": "4.3.1", "cluster": "docker",
    }  # fmt: skip
    assert (found["scale"], found["repeats"], found["seed"]) == (0.2, 2, 11)
    assert ("folder" in where(run)) is not builtin


def test_a_campaigns_page_has_the_command_that_was_given_without_its_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["verify", "--level", "weave", "--kafka", "4.3.1"]
    assert invoke([*given, "--out", str(tmp_path / "out"), "--json"]) == 0
    expected = "insync verify --level weave --kafka 4.3.1"
    found = json.loads(capsys.readouterr().out)
    assert (found["command"], parsed(expected)["kafka"]) == (expected, "4.3.1")
    page = (tmp_path / "out" / "report.html").read_text()
    assert f"<pre><code>{expected}</code></pre>" in page
    assert "; no broker ran" in found["of"]


def test_a_file_with_blanks_in_an_arms_name_is_quoted() -> None:
    assert "'a b,plugin'" in run_command(RUN.model_copy(update={"arms": ("a b", "plugin")}))


def test_the_clients_are_named_where_they_are_not_the_default() -> None:
    assert "--client" not in run_command(RUN)
    run = with_workload(RUN, client="both").model_copy(update={"default_timeouts": True})
    found = parsed(run_command(run))
    assert (found["client"], found["default_timeouts"]) == ("both", True)


@pytest.mark.parametrize(
    ("client", "words"),
    [
        ("librdkafka", "librdkafka"),
        ("java", "Kafka's Java client 4.3.1"),
        ("both", "librdkafka and Kafka's Java client 4.3.1"),
    ],
)
def test_the_clients_are_named_with_their_version(client: str, words: str) -> None:
    facts = dict(environment_of([with_workload(RUN, client=client)], "Sail 0"))
    assert facts["clients"] == words
