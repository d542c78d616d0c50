"""`insync why --logs`: what brokers' own log files say, in the layouts that operators have."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from insync.errors import InputError
from insync.why.answer import Kip501
from insync.why.sources.logs import UTC as IN_UTC
from insync.why.sources.logs import answers, files_of
from insync.why.sources.scan import time_of
from insync.why.words import terminal_lines
from unit.why.log_files import (
    BACK,
    BOOTED,
    END,
    HEALTHY,
    LEADS_0,
    MADE,
    SETTINGS,
    SLOW_LEADER,
    STARTED,
    STOPPING,
    UNFENCED,
    Line,
    Logs,
    X,
    at,
    changes,
    fences,
    leads,
    shrinks,
)
from unit.why.made_up import judged, told

OPEN = "disk or network or process"
DROPS_BOTH = shrinks("t-0", 1, "1")
FAILED = "WARN [ReplicaManager broker={}] Stopping serving replicas in dir /data with uuid x"


HUNG, LOST_LINKS = "1 disk: fetch", f"1 {OPEN}: links to other brokers"
NO_CONTROLLER, GONE = "1 network: link to the controller", "1 process: not heard of"
LOST_DIR = "1 disk: append: a log directory failed"
FETCHER = "WARN [ReplicaFetcher replicaId={}, leaderId={}, fetcherId=0] Error in response for fetch"
OLD_FETCHER = "WARN [ReplicaFetcherThread-0-{1}], Error in fetch kafka.server.ReplicaFetcherThread"
UNHEARD = (
    "INFO Client session timed out, have not heard from server in {}ms for sessionid"
    " 0x100037b7bab0003, closing socket connection and attempting reconnect (ClientCnxn)"
)
ZOOKEEPER = "INFO [Controller id=2] Newly added brokers: {}, deleted brokers: {}, bounced brokers: "


def cancelled(elapsed: int, request: str = "FETCH") -> str:
    return (
        f"INFO [RaftManager id=1] Cancelled in-flight {request} request with correlation id 75 due"
        f" to node 100 being disconnected (elapsed time since creation: {elapsed}ms, elapsed time"
        f" since send: {elapsed}ms, throttle time: 0ms, request timeout: 4500ms)"
    )


def led(topic: str, leader: int, count: int = 1) -> list[Line]:
    return [(1, leads(f"{topic}-{each}", leader)) for each in range(count)]


def drops(topic: str, leader: int, after: str, second: int = 40) -> list[Line]:
    """Return lines of a leader of a partition that shrinks its ISR."""
    return [*led(topic, leader), (second, shrinks(f"{topic}-0", leader, after))]


def drops_both(second: int, back: int, caught_up: int = -1) -> list[Line]:
    """Return lines of broker 1, which drops both followers and has them back later."""
    dropped = shrinks("t-0", 1, "1", caught_up=caught_up)
    return [LEADS_0, (second, dropped), (second, MADE), (back, BACK)]


def asks(second: int) -> list[Line]:
    return [LEADS_0, (second, cancelled(4_504, "BROKER_HEARTBEAT"))]


def session(unheard_ms: int) -> list[Line]:
    return [LEADS_0, "\tzookeeper.session.timeout.ms = 18000", (29, UNHEARD.format(unheard_ms))]


RAN = [LEADS_0, (28, cancelled(4_504))]
FENCED = [(30, fences(1)), (45, UNFENCED)]
BY_ZOOKEEPER = [*led("u", 2), (30, ZOOKEEPER.format("", "1")), (45, ZOOKEEPER.format("1", ""))]
DROP_3 = {1: drops("t", 1, "1,2"), 2: drops("v", 2, "1,2")}
DROP_1 = {2: drops("u", 2, "2,3", 30), 3: drops("v", 3, "2,3", 30), 4: [(1, leads("w-0", 4, "4"))]}
STALE = [SETTINGS, LEADS_0, (30, MADE.replace("t-0", "t-9")), (40, DROPS_BOTH)]
CASES = [
    ("it lost the controller alone", NO_CONTROLLER,
     {1: RAN, 2: led("u", 2), "controller.log": FENCED}),
    # It ran, but so little that leaders missed it, too; or it was cut off from everybody.
    ("a leader lost it as well", "1 network or process: not heard of",
     {1: RAN, 2: drops("u", 2, "2,3", 29), "controller.log": FENCED}),
    ("a replica was removed from a partition", "",
     {1: [LEADS_0, (40, leads("t-0", 1, "1,3").replace("epoch 0 from", "epoch 1 from"))]}),
    ("it dropped them too late, and woke", HUNG, {1: drops_both(40, 42, 15)}),
    ("nobody wrote, and a link was cut", LOST_LINKS, {1: drops_both(40, 52, 15)}),
    ("it looked for late followers in time", LOST_LINKS, {1: drops_both(40, 42, 27)}),
    # Before 3.3 no log says when a follower had caught up; broker 4 has nothing to do with it.
    ("it dropped them long after they dropped it", HUNG, {1: drops_both(45, 46), **DROP_1}),
    ("it dropped them soon after they dropped it", LOST_LINKS, {1: drops_both(33, 34), **DROP_1}),
    ("a follower gave up the answers of all leaders", "3 network: links to other brokers",
     {**DROP_3, 3: [(50, FETCHER.format(3, leader)) for leader in (1, 2)]}),
    ("it keeps who dropped it", "3 disk: append as a follower; 3 process: not heard of",
     {**DROP_3, 3: led("u", 3, 2), "controller.log": [(80, fences(3))]}),
    ("it keeps them where perhaps nobody writes", f"3 process: not heard of; 3 {OPEN}: following",
     {**DROP_3, 3: led("u", 3, 1), "controller.log": [(80, fences(3))]}),
    ("it keeps them, and may have ended", f"3 process: not heard of; 3 {OPEN}: following",
     {**DROP_3, 3: led("u", 3, 2), "controller.log": [(51, fences(3))]}),
    ("a log directory failed before it was fenced", LOST_DIR,
     {1: [LEADS_0, (36, FAILED.format(1))], "controller.log": [(45, fences(1)), (95, UNFENCED)]}),
    ("a log directory failed long before it was fenced", f"{LOST_DIR}; {GONE}",
     {1: [LEADS_0, (36, FAILED.format(1))], "controller.log": [(75, fences(1)), (95, UNFENCED)]}),
    ("its heartbeats timed out before", NO_CONTROLLER, {1: asks(27), "controller.log": FENCED}),
    ("its heartbeats timed out long before", GONE, {1: asks(5), "controller.log": FENCED}),
    ("no heartbeat timed out", GONE, {1: [LEADS_0], "controller.log": FENCED}),
    ("its session with ZooKeeper was lost, and it ran", NO_CONTROLLER,
     {1: session(12_007), 2: BY_ZOOKEEPER}),
    ("its session with ZooKeeper was lost, and it did not run", "1 process: frozen or starved",
     {1: session(22_000), 2: BY_ZOOKEEPER}),
    # A leader that was frozen wants to shrink an ISR, though another broker leads by then.
    ("a shrink that the log does not confirm", "", {"1.log": [*STALE, (90, X)]}),
    ("a shrink that it confirms", LOST_LINKS, {"1.log": [*STALE, (41, MADE), (90, X)]}),
    ("a shrink that it cannot confirm any more", LOST_LINKS, {"1.log": STALE}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "lines"), [pytest.param(*each, id=name) for name, *each in CASES]
)
def test_who_was_slow_by_the_logs(
    logs: Logs, expected: str, lines: dict[int | str, list[Line]]
) -> None:
    for name, own in lines.items():
        logs.write(name, *own)
    assert logs.told() == expected


@pytest.mark.parametrize("caught_up", [30, 5])
def test_how_long_a_follower_had_not_caught_up_decides_nothing(logs: Logs, caught_up: int) -> None:
    """In a partition that nobody writes it is not behind, however long it does not fetch."""
    logs.write(1, LEADS_0, (40, shrinks("t-0", 1, "1", caught_up=caught_up)))
    found = logs.answer()
    assert told(found) == LOST_LINKS
    said = f"a follower had not caught up when it was dropped, for: {40 - caught_up},000 ms"
    assert any(str(each).endswith(said) for each in found.findings[0].evidence)


@pytest.mark.parametrize(("same", "other"), [(3, 0), (1, 2), (1, 0)])
def test_a_follower_that_one_leader_alone_drops_may_be_as_slow_as_that_leader(
    logs: Logs, same: int, other: int
) -> None:
    """Partitions in which it stays in sync prove nothing: perhaps nobody writes them."""
    led: list[Line] = [(1, leads(f"t-{each}", 1)) for each in range(same)]
    logs.write(1, *led, (40, shrinks("t-0", 1, "1,2")))
    logs.write(2, *((1, leads(f"u-{each}", 2)) for each in range(other)))
    found = logs.answer()
    assert told(found) == f"3-1 {OPEN}: following"
    assert judged(found.findings[0]) == ["3 not decided"]
    assert found.findings[0].kip_501 == Kip501()
    assert any("follower 3 (not decided)" in each for each in terminal_lines(found))


def test_a_broker_that_is_told_to_stop_is_away_from_then_on(logs: Logs) -> None:
    logs.write(2, (0, STARTED), (20, STOPPING), (30, X), (70, BOOTED), (80, STARTED))
    logs.write("controller.log", (25, fences(2)), (81, changes(2, -1)))
    found = logs.answer()
    assert (told(found), found.findings[0].span.ms) == ("2 process: stopped on request", 61_000)


@pytest.mark.parametrize("line", [FETCHER, OLD_FETCHER])
@pytest.mark.parametrize(
    ("waiting", "peers", "cause"),
    [((2, 3), (), "disk"), ((2, 3), (2, 3), "network"), ((2,), (), "undecided")],
)
def test_a_leader_whose_answers_others_give_up_is_slow_unless_it_gives_up_theirs(
    logs: Logs, line: str, waiting: tuple[int, ...], peers: tuple[int, ...], cause: str
) -> None:
    logs.write("1.log", *SLOW_LEADER, *((58, line.format(1, peer)) for peer in peers), END)
    for broker in (2, 3):
        own = [(58, line.format(broker, 1))] * (broker in waiting)
        logs.write(f"{broker}.log", (1, leads(f"u-{broker}", broker)), *own, END)
    found = logs.answer().findings
    assert {each.cause for each in found} == {cause}
    assert found[0].broker == 1


@pytest.mark.parametrize(
    ("elapsed", "ran_at", "paused"),
    [(15_000, None, [6_000]), (9_100, None, []), (4_600, None, []), (15_000, 37, [])],
)
def test_a_request_that_ends_long_after_its_timeout_shows_a_process_that_did_not_run(
    logs: Logs, elapsed: int, ran_at: int | None, paused: list[int]
) -> None:
    """A client sleeps for one timeout before it looks again; several requests are one pause."""
    ran: list[Line] = [] if ran_at is None else [(ran_at, cancelled(4_504))]
    logs.write(1, LEADS_0, *ran, *[(40, cancelled(elapsed))] * 2)
    found = logs.answer().findings
    assert [each.evidence[0].value for each in found] == paused
    assert {each.site for each in found} <= {"frozen or starved"}


def test_a_controller_that_is_no_broker_is_none_in_the_answer(logs: Logs) -> None:
    logs.write("1.log", *HEALTHY)
    logs.write(
        "controller.log", (0, "INFO [ControllerServer id=100] Starting controller"),
        (1, "INFO [KafkaRaftServer nodeId=100] Kafka Server started"),
    )  # fmt: skip
    gaps = logs.answer().gaps
    assert any("no log of broker 1" in each for each in gaps)
    assert not any("broker 100" in each for each in gaps)


def test_a_partition_that_a_follower_gave_up_is_quoted(logs: Logs) -> None:
    gave_up = (
        "WARN [ReplicaFetcher replicaId=3, leaderId=1, fetcherId=0] Partition t-0 marked as failed"
    )
    logs.write(1, LEADS_0, (40, shrinks("t-0", 1, "1,2")))
    logs.write(3, (28, gave_up))
    (finding,) = logs.answer().findings
    assert [each.file for each in finding.lines] == ["3.log", "1.log"]


def test_a_fencing_that_no_controller_replays_did_not_happen(logs: Logs) -> None:
    """A controller that was frozen may still want to fence, though it is none any more."""
    stale = fences(2).replace("id=100", "id=101")
    made: list[Line] = [(30, fences(1)), (30, changes(1, 1)), (40, stale), (45, UNFENCED)]
    logs.write("controller.log", (0, leads("t-0", 1)), *made)
    found = logs.answer(10_000)
    assert [each.broker for each in found.findings] == [1]
    assert not any("at one time" in each for each in found.gaps)


@pytest.mark.parametrize(("zone", "told_of"), [("UTC", False), ("Asia/Kolkata", True)])
def test_dates_of_another_zone_are_told_and_make_no_follower_late(
    logs: Logs, zone: str, told_of: bool
) -> None:
    """A shrink says in epoch time when a follower had caught up, whatever the zone of its date."""
    lines = [each for each in SLOW_LEADER if "Shrinking" not in each[1]]
    lines.insert(4, (40, shrinks("t-0", 1, "1", caught_up=28)))
    logs.write("1.log", *lines)
    found = logs.answer(zone=zone)
    assert any("5.5 h after their dates" in gap for gap in found.gaps) is told_of
    assert found.findings[0].span.ms == (11_000 if told_of else 13_000)


@pytest.mark.parametrize(
    ("second", "epoch", "offset", "named"),
    [(25, 0, -1, []), (25, 0, 0, []), (35, 0, 0, [1]), (25, 0, 3, [1]), (25, 1, -1, [1])],
)
def test_a_follower_that_has_not_begun_with_a_new_partition_says_nothing_of_its_leader(
    logs: Logs, second: int, epoch: int, offset: int, named: list[int]
) -> None:
    """Where many partitions are made at once, followers begin later than a lag."""
    both = f"(brokerId: 3, endOffset: {offset}), (brokerId: 2, endOffset: {offset}"
    shrink = DROPS_BOTH.replace("(brokerId: 2, endOffset: 3", both)
    led = leads("t-0", 1).replace("epoch 0 from", f"epoch {epoch} from")
    logs.write("1.log", SETTINGS, (10, led), (second, shrink), (second, MADE), (90, X))
    found = logs.answer(10_000)
    assert [each.broker for each in found.findings] == named
    assert any("new partition" in gap for gap in found.gaps) is not bool(named)


OLD = "Partition [t,{number}] on broker 1: {says}"
OLDER = "[Partition t-{number} broker=1] {says}"


@pytest.mark.parametrize(("named", "topic"), [(OLD, " for partition [t,0]"), (OLDER, "")])
def test_before_kafka_2_4_what_a_leader_proposes_was_made_unless_it_was_refused(
    logs: Logs, named: str, topic: str
) -> None:
    """Those releases do not log that an ISR was updated, so one may change several times."""

    def says(second: int, number: int, text: str) -> Line:
        return second, f"INFO {named.format(number=number, says=text)} (kafka.x.Partition)"

    shrinking = f"Shrinking ISR{topic} from 1,2,3 to 1"
    expanding = f"Expanding ISR{topic} from 1 to 1,2,3"
    refused = "Cached zkVersion [8] not equal to that in zookeeper, skip updating ISR"
    logs.write(
        "server.log",
        says(30, 0, shrinking), says(31, 1, shrinking), says(39, 0, expanding),
        says(40, 1, expanding), says(60, 0, shrinking), says(69, 0, expanding),
        says(70, 2, shrinking), says(70, 2, refused), (90, X),
    )  # fmt: skip
    found = logs.answer(10_000)
    assert [(each.broker, each.times) for each in found.findings] == [(1, 2)]
    assert [str(each) for each in found.findings[0].partitions] == ["t-0", "t-1"]
    assert any("refused" in gap and "server.log:8" in gap for gap in found.gaps)


GROWN = "INFO [Partition t-0 broker=1] ISR updated to {} and version updated to 2"
STATE = (
    "INFO [Broker id=1] Skipped the become-leader state change for t-0 with topic id Some(x) and"
    " partition state LeaderAndIsrPartitionState(leader=1, leaderEpoch=0, isr=[1, 2]) since it is"
    " already the leader with leader epoch 0. Current high watermark 3, ISR [{}], adding []"
)


@pytest.mark.parametrize("line", [GROWN, STATE])
@pytest.mark.parametrize("next_isr", ["1,2", "1,3,2"])
def test_an_isr_that_grows_had_shrunk_before(logs: Logs, next_isr: str, line: str) -> None:
    """The leader may hear of its shrunk ISR from the metadata first, and logs nothing then."""
    logs.write(1, LEADS_0, (40, DROPS_BOTH), (42, line.format(next_isr)))
    (finding,) = logs.answer().findings
    assert (finding.broker, judged(finding)) == (1, ["2 wrongly", "3 wrongly"])


@pytest.mark.parametrize(("apart_min", "times"), [(5, [4]), (15, [1, 1, 1, 1])])
def test_an_isr_that_flaps_is_one_finding(logs: Logs, apart_min: int, times: list[int]) -> None:
    lines: list[Line] = []
    for second in range(60, 240 * apart_min, 60 * apart_min):
        lines += [(second, DROPS_BOTH), (second, MADE), (second + 20, BACK)]
    logs.write("1.log", SETTINGS, LEADS_0, *lines, (3_500, X))
    found = logs.answer()
    assert [each.times for each in found.findings] == times
    assert sum(each.kip_501.removals for each in found.findings if each.kip_501) == 8
    assert sum(each.kip_501.under_min_isr for each in found.findings if each.kip_501) == 80
    assert any(", 4 times" in each for each in terminal_lines(found)) is (times == [4])


def test_a_leader_that_hangs_is_named_from_excerpts_as_they_are_pasted_into_issues(
    logs: Logs,
) -> None:
    """Of Kafka 0.10: few lines, and whose they are said by any of them, such as of the fetchers."""
    shrink = OLD.format(number=0, says="Shrinking ISR for partition [t,0] from 1,2,3 to 1")
    logs.write("1.log", (28, f"INFO {shrink} (kafka.cluster.Partition)"), (90, "x"))
    for broker in (2, 3):
        own = f"INFO [ReplicaFetcherManager on broker {broker}] Removed fetcher for x"
        gave_up = OLD_FETCHER.format(broker, 1)
        logs.write(f"{broker}.log", (12, own), (38, gave_up), (90, "x"))
    found = logs.answer(10_000)
    assert told(found) == "1 disk: fetch"
    assert judged(found.findings[0]) == ["2 wrongly", "3 wrongly"]


@pytest.mark.parametrize(("after", "causes"), [(1, ["disk"]), (15, ["disk", "process"])])
def test_a_broker_that_ends_when_a_log_directory_fails_has_a_disk_to_look_at(
    logs: Logs, after: int, causes: list[str]
) -> None:
    logs.write(
        2, (0, STARTED), (20, FAILED.format(2)), (20 + after, X), (70, BOOTED), (80, STARTED)
    )
    assert [each.cause for each in logs.answer().findings] == causes


def test_brokers_that_stop_at_the_end_are_not_the_controllers_matter(logs: Logs) -> None:
    for broker in (1, 2):
        logs.write(f"{broker}.log", (1, leads(f"t-{broker}", broker)), (60, STOPPING))
    logs.write("controller.log", (0, X), (61, fences(1)), (61, fences(2)), (90, X))
    found = logs.answer(10_000)
    assert [each.site for each in found.findings] == ["stopped on request"] * 2
    assert not any("at one time" in each for each in found.gaps)


@pytest.mark.parametrize(("second", "fenced"), [(75, []), (85, [1])])
def test_what_a_controller_reads_while_it_starts_is_history(
    logs: Logs, second: int, fenced: list[int]
) -> None:
    node: list[Line] = [(0, STARTED), (60, STOPPING), (70, BOOTED), (80, STARTED)]
    logs.write("2/server.log", (0, leads("t-2", 2)), *node, END)
    replayed = changes(1, 1).replace("id=100", "id=2")
    logs.write("2/controller.log", (0, "INFO [QuorumController id=2] x"), (second, replayed), END)
    logs.write("1/server.log", (1, leads("t-5", 1)), (98, X))
    found = logs.answer(10_000).findings
    assert [each.broker for each in found if each.broker == 1] == fenced


def test_a_long_collection_is_a_pause_of_the_process(logs: Logs) -> None:
    pause = "GC(3) Pause Full (Allocation Failure) 900M->880M(1024M) 8123.456ms"
    logs.write("1/server.log", *HEALTHY)
    logs.write("1/kafkaServer-gc.log", f"[2026-01-02T03:00:50.000+0000][gc] {pause}")
    (named,) = answers([str(logs.folder)], 10_000, r"/(\d+)/", "UTC")
    assert told(named) == "1 process: frozen or starved"
    assert logs.told(10_000) == "2 process: frozen or starved", "that of the server.log beside it"
    logs.write("1/other.log", SLOW_LEADER[3])
    assert logs.told(10_000) == "", "there are logs of two brokers beside it"


@pytest.mark.parametrize(
    "layout",
    [
        lambda line: line,
        lambda line: f"May 01 host kafka-server-start.sh[812]: {line}",  # systemd
        lambda line: line[1:].replace("] ", " ", 1).replace(",250", ",250 +0000"),
        lambda line: json.dumps({
            "@timestamp": f"{line[1:11]}T{line[12:20]}.250Z", "level": "INFO", "message": line[26:],
        }),
    ],
    ids=["default", "systemd", "other pattern", "json"],
)  # fmt: skip
def test_layouts_of_lines_give_the_same_answer(logs: Logs, layout: Callable[[str], str]) -> None:
    logs.write("server.log", *SLOW_LEADER)
    (one,) = logs.answer().findings
    laid_out = [each if isinstance(each, str) else layout(at(*each)) for each in SLOW_LEADER]
    logs.write("server.log", *laid_out)
    (other,) = logs.answer().findings
    assert [each.number for each in one.lines] == [each.number for each in other.lines] == [5, 7]
    assert replace(one, lines=()) == replace(other, lines=())


def test_gzipped_and_rotated_files_are_read_and_segments_are_not(logs: Logs) -> None:
    logs.write("server.log", *SLOW_LEADER)
    text = (logs.folder / "server.log").read_bytes()
    (logs.folder / "server.log").unlink()
    (logs.folder / "server.log.2026-01-02-03.gz").write_bytes(gzip.compress(text))
    logs.write("server.log.1", *HEALTHY)
    logs.write("t-0/00000000000000000000.log", "\0\1\2 binary")
    assert {each.name for each in files_of([str(logs.folder)])} == {
        "server.log.2026-01-02-03.gz", "server.log.1",
    }  # fmt: skip
    assert logs.answer().findings[0].broker == 1


def test_the_lag_is_that_of_the_brokers_settings_or_at_most_what_a_shrink_shows(
    logs: Logs,
) -> None:
    logs.write("server.log", LEADS_0, (20, shrinks("t-0", 1, "1", caught_up=5)))
    assert any("taken for 15000" in each for each in logs.answer().gaps)
    logs.write("other.log", *SLOW_LEADER)
    assert not any("taken for" in each for each in logs.answer().gaps)


def test_times_without_a_zone_are_in_the_given_one() -> None:
    line = "[2026-01-02 03:00:00,250] INFO x"
    utc = time_of(line, IN_UTC)
    assert utc == 1767322800250
    assert time_of("2026-01-02T03:00:00.250+01:00 INFO x", IN_UTC) == utc - 3_600_000
    assert time_of("2026-01-02T03:00:00.250Z INFO x", IN_UTC) == utc
    instant = '{"instant":{"epochSecond":1767322800,"nanoOfSecond":250000000},"message":"x"}'
    assert time_of(instant, IN_UTC) == utc
    assert time_of("\tat kafka.Kafka.main(Kafka.scala)", IN_UTC) is None
    assert time_of("2026-99-99 99:99:99,000 INFO x", IN_UTC) is None


@pytest.mark.parametrize(
    ("name", "broker_from", "zone", "said"),
    [
        ("none", None, "UTC", "--logs .*none: no such file"),
        ("empty", None, "UTC", r"--logs .*empty: no file \*\.log"),
        ("junk.log", None, "UTC", "no line with a date"),
        ("good.log", "(", "UTC", r"--broker-from \(: .*expected a regular expression"),
        ("good.log", "x", "UTC", "--broker-from x: expected one group"),
        ("good.log", None, "Mars/Olympus", "--tz Mars/Olympus: no such time zone"),
    ],
)
def test_bad_input_gets_one_line(
    logs: Logs, name: str, broker_from: str | None, zone: str, said: str
) -> None:
    (logs.folder / "empty").mkdir()
    logs.write("junk.log", "junk")
    logs.write("good.log", *HEALTHY)
    with pytest.raises(InputError, match=said):
        answers([str(logs.folder / name)], None, broker_from, zone)


def test_a_broker_had_ended_when_the_first_fetcher_failed_at_once(logs: Logs) -> None:
    failed = f"{FETCHER.format(3, 2)} request (x): Connection to 2 was disconnected"
    logs.write(2, (0, STARTED), (20, X), (70, BOOTED), (80, STARTED))
    logs.write(3, (1, leads("t-0", 3)), (65, failed))
    found = logs.answer()
    assert (told(found), found.findings[0].span.ms) == ("2 process: ended", 15_000)


def test_a_start_is_one_that_two_files_have_and_files_are_read_in_any_order(logs: Logs) -> None:
    for name in ("server.log.2026-01-02", "stdout.log.1"):
        logs.write(name, (0, STARTED), (20, X))
    for name in ("server.log", "stdout.log"):
        logs.write(name, (70, BOOTED), (80, STARTED), END)
    found = logs.answer(10_000)
    assert (told(found), found.findings[0].span.ms) == ("2 process: ended", 60_000)
    assert len([each for each in found.findings[0].lines if "started" in each.text]) == 1
    for name in ("server.log", "stdout.log"):
        logs.write(name, END)
    assert logs.told(10_000) == ""
