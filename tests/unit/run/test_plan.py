"""A plan reports every error before the first file is made."""

from dataclasses import replace
from pathlib import Path

import pytest

from insync.errors import InputError
from insync.progress import Progress
from insync.run.plan import prepare
from insync.run.request import RunRequest, check_out, make_out
from insync.scenario.load import source
from unit.built_files import stand_in


@pytest.fixture(autouse=True)
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    versions = "adapters=v9\nv9.from=4.0\nv9.below=5\nv9.scopes=read"
    return stand_in(tmp_path, monkeypatch, versions)


def test_a_plan_has_the_scaled_and_narrowed_scenario(built: Path) -> None:
    request = RunRequest(scenario="kip-501", arms=("off",), scale=0.2, repeats=1)
    found = prepare(request, Progress())
    assert found.scenario.arms == ("off",)
    assert found.scenario.broker.replica_lag_time_max_ms == 2_000
    assert (found.tools.shim, found.tools.agent_jar) == (built / "shim.so", built / "agent.jar")
    assert found.out.parent == Path.cwd() / "insync-runs"
    assert found.out.name.startswith("kip-501-")
    assert list(Path.cwd().iterdir()) == []


def test_only_required_files_must_be_built(built: Path) -> None:
    (built / "shim.so").unlink()
    (built / "agent.jar").unlink()
    found = prepare(RunRequest(scenario="control", arms=("stock",)), Progress())
    assert (found.tools.shim, found.tools.agent_jar) == (None, None)


@pytest.mark.parametrize(
    ("kafka", "arm", "problem"),
    [
        (
            "4.3.1",
            "request",
            "arms: request: Kafka 4.3.1 has only stock, off, read, raised-lag, elr-off, time;"
            " there the agent lacks scopes=request$",
        ),
        ("3.9.2", "off", "Kafka 3.9.2 has only stock, raised-lag, time; the agent has no adapter"),
        ("4.3.1", "step-down", "arms.1.: 'step-down', expected another arm, or broker.leader_"),
        ("3.9.2", "elr-off", "has only stock, raised-lag, time; without eligible leader"),
        ("5.0.0", "off", "kafka: unknown version .5.0.0., expected one of "),
    ],
)
def test_an_arm_unsupported_by_the_version_is_refused_with_the_supported_ones(
    kafka: str, arm: str, problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        prepare(RunRequest(scenario="control", arms=("stock", arm), kafka=kafka), Progress())


@pytest.mark.parametrize(
    ("missing", "arm", "problem"),
    [
        ("shim.so", "stock", "no shim.so: it is compiled"),
        ("agent.jar", "off", "not built"),
        ("logs.jar", "stock", "logs.jar: not built"),
    ],
)
def test_a_required_file_that_is_not_built_is_named(
    built: Path, missing: str, arm: str, problem: str
) -> None:
    (built / missing).unlink()
    with pytest.raises(InputError, match=problem):
        prepare(RunRequest(scenario="kip-501", arms=("stock", arm)[-1:]), Progress())


def test_the_folder_above_the_output_may_be_missing_too() -> None:
    assert check_out(Path("a/b/c")) == Path.cwd() / "a/b/c"
    make_out(Path("a/b/c"))
    assert check_out(Path("a/b/c")) == Path.cwd() / "a/b/c"


@pytest.mark.parametrize("out", ["/proc/insync", "file/below"])
def test_a_folder_that_cannot_be_created_is_an_input_error(out: str) -> None:
    Path("file").touch()
    with pytest.raises(InputError, match=r"--out .*writable"):
        make_out(check_out(Path(out)))


def test_a_protocol_between_brokers_is_refused_where_there_is_no_choice(tmp_path: Path) -> None:
    setting = '[broker]\ninter_broker_protocol_version = "2.6"'
    file = tmp_path / "older.toml"
    file.write_text(source("read-stall").replace("[broker]", setting))
    problem = "broker.inter_broker_protocol_version: '2.6', expected none: Kafka 4.3.1 has no such"
    with pytest.raises(InputError, match=problem):
        prepare(RunRequest(scenario=str(file), arms=("stock",)), Progress())


@pytest.mark.parametrize(
    ("scenario", "kafka", "problem"),
    [
        ("follower-readers", "2.0.0", "read_from on Kafka 2.0.0, expected Kafka 2.4 or"),
        ("frozen-client", "2.8.2", "client-freeze on Kafka 2.8.2, expected Kafka 3.0"),
        (
            "leader-change-mid-stall",
            "2.0.0",
            "elect on Kafka 2.0.0, expected Kafka 2.4 or newer: older brokers",
        ),
        (
            "added-replica",
            "2.0.0",
            "add-replica on Kafka 2.0.0, expected Kafka 2.4 or newer: older brokers",
        ),
    ],
)
def test_what_older_brokers_lack_is_refused(scenario: str, kafka: str, problem: str) -> None:
    request = RunRequest(scenario=scenario, arms=("stock",), kafka=kafka)
    with pytest.raises(InputError, match=problem):
        prepare(request, Progress())


def test_java_clients_need_their_jar_and_a_version_that_has_today_s_methods(built: Path) -> None:
    request = RunRequest(scenario="control", arms=("stock",), client="java")
    assert prepare(request, Progress()).scenario.workload.client == "java"
    with pytest.raises(InputError, match=r"--client java: Kafka 1\.1\.1 has no Java client"):
        prepare(replace(request, kafka="1.1.1"), Progress())
    (built / "clients.jar").unlink()
    with pytest.raises(InputError, match=r"clients\.jar: not built, expected in .*make setup"):
        prepare(request, Progress())
