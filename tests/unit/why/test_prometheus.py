"""`insync why --logs --prometheus`: the brokers' metrics beside what their logs say."""

import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import pytest

from insync.errors import InputError
from insync.why.answer import Diagnosis
from insync.why.sources.logs import answers
from insync.why.sources.prometheus import QUERY
from unit.why.log_files import HEALTHY, SLOW_LEADER, Logs, leads, shrinks

FIRST: Final = 1767322800
"""The second of the first line of the logs; the followers are removed 40 s later."""
FETCH: Final = {
    "__name__": "kafka_network_requestmetrics_localtimems", "request": "FetchFollower",
    "quantile": "0.99", "instance": "kafka-1:9404",
}  # fmt: skip
USUAL, SLOW = "3.5", "9100"


def series(labels: Mapping[str, str], *values: str, first: int = FIRST - 120) -> dict[str, Any]:
    """Return a series with a value each 30 s: four before the logs begin, then three."""
    shown = [[first + 30 * number, value] for number, value in enumerate(values)]
    return {"metric": dict(labels), "values": shown}


ROSE: Final = series(FETCH, *[USUAL] * 5, SLOW, SLOW)


def saved(*found: Mapping[str, Any]) -> dict[str, Any]:
    return {"status": "success", "data": {"resultType": "matrix", "result": list(found)}}


def asked(folder: Path, source: str, broker_from: str | None = None) -> Diagnosis:
    logs = Logs(folder / "logs")
    logs.write("1.log", *SLOW_LEADER)
    logs.write("2.log", *HEALTHY)
    (found,) = answers([str(logs.folder)], 10_000, broker_from, "UTC", source)
    return found


def from_file(folder: Path, *found: Mapping[str, Any], broker_from: str | None = None) -> Diagnosis:
    file = folder / "saved.json"
    file.write_text(json.dumps(saved(*found)))
    return asked(folder, str(file), broker_from)


def test_a_leader_whose_own_time_for_fetches_rose_was_slow(tmp_path: Path) -> None:
    (finding,) = from_file(tmp_path, ROSE).findings
    assert (finding.broker, finding.cause, finding.site, finding.may_be) == (1, "disk", "fetch", ())
    assert "LocalTimeMs of FetchFollower of broker 1, usually 4: 9,100 ms" in {
        str(each) for each in finding.evidence
    }


@pytest.mark.parametrize(
    "found",
    [
        series(FETCH, *[USUAL] * 7),  # a fetch that hangs is counted when it ends
        series({**FETCH, "instance": "kafka-2:9404"}, *[USUAL] * 5, SLOW, SLOW),  # of a follower
        series(FETCH, *[SLOW] * 7),  # it was so before, too
        series(FETCH, *[USUAL] * 4, "400", "400", "400"),  # far below the lag
        series({**FETCH, "request": "Metadata"}, *[USUAL] * 5, SLOW, SLOW),
        series({**FETCH, "__name__": f"{FETCH['__name__']}_max"}, *[USUAL] * 5, SLOW, SLOW),
        series(FETCH, *[USUAL] * 6, SLOW, first=FIRST + 1_000),  # later
    ],
    ids=["usual", "another broker", "always", "little", "another request", "for ever", "later"],
)
def test_what_shows_nothing_about_the_leader_decides_nothing(
    tmp_path: Path, found: Mapping[str, Any]
) -> None:
    (finding,) = from_file(tmp_path, found).findings
    assert finding.cause == "undecided"


def test_a_link_is_not_turned_into_a_disk(logs: Logs) -> None:
    (logs.folder / "saved.json").write_text(json.dumps(saved(ROSE)))
    for broker in (1, 2):
        dropped = shrinks(f"t-{broker}", broker, f"{broker},3")
        logs.write(broker, (1, leads(f"t-{broker}", broker)), (40, dropped))
    paths = [str(logs.folder / "1.log"), str(logs.folder / "2.log")]
    (found,) = answers(paths, 10_000, None, "UTC", str(logs.folder / "saved.json"))
    assert [each.cause for each in found.findings] == ["network"]


@pytest.mark.parametrize(
    ("name", "labels", "values", "said"),
    [
        ("server_replicamanager_underminisrpartitioncount",
         {"strimzi_io_pod_name": "my-cluster-kafka-1", "instance": "10.1.2.3:9404"},
         "0 2 2", "partitions under min ISR of broker 1, usually 0: 2 "),
        ("server_kafkarequesthandlerpool_requesthandleravgidle_percent",
         {"pod": "my-cluster-kafka-1"},  # of Strimzi, too
         "0.98 0.12 0.9", "idle request handlers of broker 1, usually 98: 12 %"),
        ("server_ReplicaManager_IsrShrinksPerSec_Count",  # rules of the JMX exporter keep the case
         {"instance": "broker-1.example:7071"},
         "70 74 74", "ISR shrinks of broker 1, usually 0: 4 "),
        ("log_logflushstats_logflushrateandtimems", {"quantile": "0.99", "broker_id": "1"},
         "4 40 4", "log flush time of broker 1, usually 4: 40 ms"),
        ("controller_kafkacontroller_fencedbrokercount", {},
         "0 1 0", "fenced brokers of the cluster, usually 0: 1 "),
    ],
)  # fmt: skip
def test_other_metrics_are_evidence_if_they_were_unusual(
    tmp_path: Path, name: str, labels: dict[str, str], values: str, said: str
) -> None:
    usual, *unusual = values.split()
    own = {"__name__": f"kafka_{name}", **labels}
    (finding,) = from_file(tmp_path, series(own, *[usual] * 5, *unusual)).findings
    assert said in {str(each) for each in finding.evidence}
    assert finding.cause == "undecided"
    (calm,) = from_file(tmp_path, series(own, *[usual] * 7)).findings
    assert not any("usually" in str(each) for each in calm.evidence)


def test_whose_series_it_is_may_be_said_and_is_asked_if_it_is_not_known(tmp_path: Path) -> None:
    slow = series({**FETCH, "instance": "10.0.0.5:9404"}, *[USUAL] * 5, SLOW, SLOW)
    unnamed = from_file(tmp_path, slow)
    assert not any("LocalTimeMs" in str(each) for each in unnamed.findings[0].evidence)
    assert any("those of 10.0.0.5:9404 are" in each for each in unnamed.gaps)
    far = series({**FETCH, "instance": "kafka-77:9404"}, *[USUAL] * 5, SLOW, SLOW)
    gaps = from_file(tmp_path, far).gaps
    assert any("series those of kafka-77:9404 are (--broker-from)" in each for each in gaps)
    host = series({**FETCH, "instance": "node77x1:9404"}, *[USUAL] * 5, SLOW, SLOW)
    assert from_file(tmp_path, host, broker_from=r"x(\d)").findings[0].cause == "disk"


@pytest.fixture
def prometheus() -> Iterator[tuple[str, list[dict[str, list[str]]]]]:
    """Answer range queries on this machine; yield the address and what was asked."""
    seen: list[dict[str, list[str]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(parse_qs(urlsplit(self.path).query))
            known = self.path.startswith("/api/v1/query_range?")
            self.send_response(200 if known else 404)
            self.end_headers()
            self.wfile.write(json.dumps(saved(ROSE)).encode())

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", seen
    server.shutdown()
    server.server_close()


def test_a_server_is_asked_once_for_the_time_of_the_logs(
    tmp_path: Path, prometheus: tuple[str, list[dict[str, list[str]]]]
) -> None:
    url, seen = prometheus
    assert asked(tmp_path, f"{url}/").findings[0].cause == "disk"
    (question,) = seen
    assert float(question["start"][0]) < FIRST
    assert float(question["end"][0]) > FIRST + 90
    assert "underminisr" in question["query"][0]


def test_answers_may_follow_each_other_in_a_file(tmp_path: Path) -> None:
    slow = json.dumps(saved(ROSE))
    for text in (f"{json.dumps(saved())}\n{slow}\n", f"[{json.dumps(saved())}, {slow}]"):
        (tmp_path / "saved.json").write_text(text)
        assert asked(tmp_path, str(tmp_path / "saved.json")).findings[0].cause == "disk"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no JSON", "expected a URL or a file"),
        ('{"status": "error", "error": "parse error at 1"}', "parse error at 1"),
        ('{"data": {"result": [{"metric": {}}]}}', "no answer of query_range"),
        ("[1]", "no answer of query_range"),
    ],
)
def test_what_is_no_answer_gets_one_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "saved.json").write_text(text)
    with pytest.raises(InputError, match=said):
        asked(tmp_path, str(tmp_path / "saved.json"))


def test_the_page_for_operators_has_the_query() -> None:
    page = Path(__file__).parents[3] / "docs" / "start" / "is-it-kip-501.md"
    assert f"query={QUERY}'" in page.read_text()


def test_a_server_that_does_not_answer_gets_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a Prometheus"):
        asked(tmp_path, "http://127.0.0.1:9")
