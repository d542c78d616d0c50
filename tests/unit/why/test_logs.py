"""`insync why --logs`: what brokers' own log files say, in the layouts that operators have."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from insync.errors import InputError
from insync.why.answer import Diagnosis, Kip501
from insync.why.sources.logs import UTC as IN_UTC
from insync.why.sources.logs import answers, files_of
from insync.why.sources.scan import time_of
from insync.why.words import terminal_lines

SETTINGS = "\treplica.lag.time.max.ms = 10000"
LEADS = (
    "INFO [Broker id={leader}] Leader {partition} with topic id Some(x) starts at leader epoch 0"
    " from offset 0 with partition epoch 0, high watermark 0, ISR [{isr}], adding replicas []"
    " (state.change.logger)"
)
SHRINK = (
    "INFO [Partition {partition} broker={leader}] Shrinking ISR from {before} to {after}. Leader:"
    " (highWatermark: 3, endOffset: 9). Out of sync replicas: (brokerId: 2, endOffset: 3,"
    " lastCaughtUpTimeMs: {caught_up}). (kafka.cluster.Partition)"
)
FENCED = "INFO [QuorumController id=100] Fencing broker {broker} because its session has timed out."
UNFENCED = (
    "INFO [QuorumController id=100] Replayed BrokerRegistrationChangeRecord modifying the"
    " registration for broker 1: BrokerRegistrationChangeRecord(brokerId=1, brokerEpoch=3,"
    " fenced=-1, inControlledShutdown=0, logDirs=[])"
)
MADE = (
    "INFO [Partition {partition} broker=1] ISR updated to 1 (under-min-isr) and version updated"
    " to 1 (kafka.cluster.Partition)"
)
BACK = "INFO [Partition t-0 broker=1] ISR updated to 1,2,3 and version updated to 3"
BOOTED = "INFO Registered `kafka:type=kafka.Log4jController` MBean"
"""A process's first line."""
STARTED = "INFO [KafkaServer id=2] started (kafka.server.KafkaServer)"


def at(second: int, text: str) -> str:
    """Return a line in the pattern of Kafka's own log4j configuration."""
    return f"[2026-01-02 03:{second // 60:02}:{second % 60:02},250] {text}"


def leads(partition: str, leader: int, isr: str = "1,2,3") -> str:
    return LEADS.format(partition=partition, leader=leader, isr=isr)


def shrinks(partition: str, leader: int, before: str, after: str, caught_up: int = -1) -> str:
    """Return a leader's line; broker 2 had caught up `caught_up` seconds after the first line."""
    when = -1 if caught_up < 0 else 1767322800250 + 1000 * caught_up
    return SHRINK.format(
        partition=partition, leader=leader, before=before, after=after, caught_up=when
    )  # fmt: skip


SLOW_LEADER = [
    at(0, "INFO KafkaConfig values:"),
    SETTINGS,
    at(1, leads("t-0", 1)),
    at(1, leads("t-1", 1)),
    at(40, shrinks("t-0", 1, "1,2,3", "1")),
    at(40, MADE.format(partition="t-0")),
    at(41, shrinks("t-1", 1, "1,2,3", "1")),
    at(41, MADE.format(partition="t-1")),
    at(60, BACK),
]
HEALTHY = [at(1, leads("t-2", 2)), at(2, leads("t-3", 3)), at(90, "INFO nothing of use")]


HEALTHY_1 = [at(1, leads("t-5", 1)), at(98, "INFO nothing of use")]


def answer(folder: Path, *, lag_ms: float | None = None, zone: str = "UTC") -> Diagnosis:
    (found,) = answers([str(folder)], lag_ms, None, zone)
    return found


def write(file: Path, lines: list[str]) -> None:
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("caught_up", [30, 5])
def test_how_long_a_follower_had_not_caught_up_decides_nothing(
    tmp_path: Path, caught_up: int
) -> None:
    """In a partition that nobody writes it is not behind, however long it does not fetch."""
    dropped = at(40, shrinks("t-0", 1, "1,2,3", "1", caught_up))
    write(tmp_path / "1.log", [at(0, "INFO x"), SETTINGS, at(1, leads("t-0", 1)), dropped])
    (finding,) = answer(tmp_path).findings
    assert (finding.broker, finding.cause) == (1, "undecided")
    said = f"a follower had not caught up when it was dropped, for: {40 - caught_up},000 ms"
    assert any(str(each).endswith(said) for each in finding.evidence)


@pytest.mark.parametrize(("same", "other"), [(3, 0), (1, 2), (1, 0)])
def test_a_follower_that_one_leader_alone_drops_may_be_as_slow_as_that_leader(
    tmp_path: Path, same: int, other: int
) -> None:
    """Partitions in which it stays in sync prove nothing: perhaps nobody writes them."""
    lines = [SETTINGS, *(at(1, leads(f"t-{each}", 1)) for each in range(same))]
    dropped = at(40, shrinks("t-0", 1, "1,2,3", "1,2"))
    write(tmp_path / "1.log", [at(0, "INFO x"), *lines, dropped, at(99, "INFO x")])
    own = [at(1, leads(f"u-{each}", 2)) for each in range(other)]
    write(tmp_path / "2.log", [at(0, "INFO [Broker id=2] x"), *own, at(99, "INFO x")])
    found = answer(tmp_path)
    (finding,) = found.findings
    (blamed,) = finding.blamed
    assert (finding.cause, finding.site, finding.brokers) == ("undecided", "following", (3, 1))
    assert (blamed.follower, blamed.rightly, finding.kip_501) == (3, None, Kip501())
    assert any("follower 3 (not decided)" in each for each in terminal_lines(found))


def test_a_broker_that_is_told_to_stop_is_away_from_then_on(tmp_path: Path) -> None:
    lines = [at(0, STARTED), at(20, STOPPING), at(30, "INFO the last words"), at(70, BOOTED)]
    write(tmp_path / "2.log", [*lines, at(80, STARTED), at(99, "INFO more")])
    fenced = [at(25, FENCED.format(broker=2)), at(81, UNFENCED.replace("brokerId=1", "brokerId=2"))]
    write(tmp_path / "controller.log", [at(0, "INFO [QuorumController id=100] x"), *fenced])
    (finding,) = answer(tmp_path, lag_ms=10_000).findings
    assert (finding.site, finding.span.ms) == ("stopped on request", 61_000)


@pytest.mark.parametrize(("lost", "cause"), [(False, "network"), (True, "undecided")])
def test_a_broker_that_leaders_lose_as_well_has_not_lost_the_controller_alone(
    tmp_path: Path, lost: bool, cause: str
) -> None:
    """It ran, but so little that leaders missed it, too; or it was cut off from everybody."""
    ran = at(28, CANCELLED.format(4_504))
    write(tmp_path / "1.log", [at(0, leads("t-0", 1)), SETTINGS, ran, at(99, "INFO x")])
    drop = [at(29, shrinks("u-0", 2, "1,2,3", "2,3"))] if lost else []
    write(tmp_path / "2.log", [at(0, leads("u-0", 2)), *drop, at(99, "INFO x")])
    write(tmp_path / "controller.log", [at(30, FENCED.format(broker=1)), at(45, UNFENCED)])
    (finding,) = answer(tmp_path).findings
    assert (finding.broker, finding.cause) == (1, cause)


def test_a_replica_that_is_removed_from_a_partition_is_no_slow_follower(tmp_path: Path) -> None:
    moved = at(40, leads("t-0", 1, "1,3").replace("epoch 0 from", "epoch 1 from"))
    write(tmp_path / "1.log", [at(1, leads("t-0", 1)), moved, at(99, "INFO x")])
    assert answer(tmp_path).findings == ()


@pytest.mark.parametrize(
    ("caught_up", "back_at", "cause"),
    [(15, 42, "disk"), (15, 52, "undecided"), (27, 42, "undecided")],
    ids=["it woke", "nobody wrote, and a link was cut", "it looked for late followers in time"],
)
def test_a_leader_that_drops_a_follower_too_late_and_has_it_back_at_once_had_hung(
    tmp_path: Path, caught_up: int, back_at: int, cause: str
) -> None:
    dropped = at(40, shrinks("t-0", 1, "1,2,3", "1", caught_up))
    lines = [SETTINGS, at(1, leads("t-0", 1)), dropped, at(40, MADE.format(partition="t-0"))]
    write(tmp_path / "1.log", [at(0, "INFO x"), *lines, at(back_at, BACK), at(99, "INFO x")])
    (finding,) = answer(tmp_path).findings
    assert (finding.broker, finding.cause) == (1, cause)


FETCHER = "WARN [ReplicaFetcher replicaId={}, leaderId={}, fetcherId=0] Error in response for fetch"
OLD_FETCHER = "WARN [ReplicaFetcherThread-0-{1}], Error in fetch kafka.server.ReplicaFetcherThread"


@pytest.mark.parametrize("line", [FETCHER, OLD_FETCHER])
@pytest.mark.parametrize(("waiting", "peers", "cause"), [
    ((2, 3), (), "disk"), ((2, 3), (2, 3), "network"), ((2,), (), "undecided"),
])  # fmt: skip
def test_a_leader_whose_answers_others_give_up_is_slow_unless_it_gives_up_theirs(
    tmp_path: Path, line: str, waiting: tuple[int, ...], peers: tuple[int, ...], cause: str
) -> None:
    gave_up = [at(58, line.format(1, peer)) for peer in peers]
    write(tmp_path / "1.log", [*SLOW_LEADER, *gave_up, at(99, "INFO x")])
    for broker in (2, 3):
        own = [at(58, line.format(broker, 1))] if broker in waiting else []
        write(tmp_path / f"{broker}.log", [at(1, leads(f"u-{broker}", broker)), *own, at(99, "x")])
    found = answer(tmp_path).findings
    assert {each.cause for each in found} == {cause}
    assert found[0].broker == 1


def test_a_follower_that_gives_up_the_answers_of_all_leaders_has_bad_links(tmp_path: Path) -> None:
    for leader in (1, 2):
        lost = at(40, shrinks(f"t-{leader}", leader, "1,2,3", "1,2"))
        own = [SETTINGS, at(1, leads(f"t-{leader}", leader)), lost, at(99, "INFO x")]
        write(tmp_path / f"{leader}.log", [at(0, "INFO x"), *own])
    gave_up = [at(50, FETCHER.format(3, leader)) for leader in (1, 2)]
    write(tmp_path / "3.log", [at(0, "INFO [Broker id=3] x"), *gave_up, at(99, "INFO x")])
    (finding,) = answer(tmp_path).findings
    assert (finding.brokers, finding.cause) == ((3,), "network")


@pytest.mark.parametrize(("second", "cause"), [(45, "disk"), (33, "undecided")])
def test_a_leader_that_drops_followers_long_after_they_dropped_it_had_hung(
    tmp_path: Path, second: int, cause: str
) -> None:
    """Before 3.3 no log says when a follower had caught up; broker 4 has nothing to do with it."""
    for other in (2, 3):
        lost = at(30, shrinks(f"u-{other}", other, "1,2,3", "2,3"))
        own = [at(1, leads(f"u-{other}", other)), lost, at(99, "INFO x")]
        write(tmp_path / f"{other}.log", own)
    write(tmp_path / "4.log", [at(1, leads("v-0", 4, "4")), at(99, "INFO x")])
    dropped = at(second, shrinks("t-0", 1, "1,2,3", "1"))
    made = at(second, MADE.format(partition="t-0"))
    lines = [SETTINGS, at(1, leads("t-0", 1)), dropped, made, at(second + 1, BACK), at(99, "x")]
    write(tmp_path / "1.log", [at(0, "INFO x"), *lines])
    (finding,) = answer(tmp_path).findings
    assert (finding.brokers, finding.cause) == ((1,), cause)


@pytest.mark.parametrize(
    ("partitions", "fenced_at", "cause"),
    [(2, 80, "disk"), (1, 80, "undecided"), (2, 47, "undecided")],
    ids=["its links work", "perhaps nobody writes there", "it may have ended"],
)
def test_a_follower_that_keeps_the_leaders_that_dropped_it_has_no_bad_links(
    tmp_path: Path, partitions: int, fenced_at: int, cause: str
) -> None:
    for leader in (1, 2):
        dropped = at(40, shrinks(f"t-{leader}", leader, "1,2,3", "1,2"))
        write(tmp_path / f"{leader}.log", [at(1, leads(f"t-{leader}", leader)), dropped])
    own = [at(1, leads(f"u-{each}", 3)) for each in range(partitions)]
    write(tmp_path / "3.log", [*own, at(99, "INFO the last line")])
    write(tmp_path / "controller.log", [at(fenced_at, FENCED.format(broker=3)), at(90, UNFENCED)])
    finding = next(each for each in answer(tmp_path, lag_ms=2_000).findings if each.partitions)
    assert (finding.broker, finding.cause) == (3, cause)
    assert ("process" in finding.may_be) is (cause == "undecided")


@pytest.mark.parametrize(("fenced_at", "sites"), [
    (45, ["append: a log directory failed"]),
    (75, ["append: a log directory failed", "not heard of"]),
])  # fmt: skip
def test_a_broker_that_is_fenced_after_its_log_directory_failed_has_one_finding(
    tmp_path: Path, fenced_at: int, sites: list[str]
) -> None:
    failed = "WARN [ReplicaManager broker=1] Stopping serving replicas in dir /data with uuid x"
    write(tmp_path / "1.log", [at(1, leads("t-0", 1)), SETTINGS, at(36, failed)])
    write(tmp_path / "controller.log", [at(fenced_at, FENCED.format(broker=1)), at(95, UNFENCED)])
    assert [each.site for each in answer(tmp_path).findings] == sites


CANCELLED = (
    "INFO [RaftManager id=1] Cancelled in-flight FETCH request with correlation id 75 due to node"
    " 100 being disconnected (elapsed time since creation: {0}ms, elapsed time since send: {0}ms,"
    " throttle time: 0ms, request timeout: 4500ms)"
)


@pytest.mark.parametrize(("elapsed", "ran_at", "paused"), [
    (15_000, None, [6_000]), (9_100, None, []), (4_600, None, []), (15_000, 37, []),
])  # fmt: skip
def test_a_request_that_ends_long_after_its_timeout_shows_a_process_that_did_not_run(
    tmp_path: Path, elapsed: int, ran_at: int | None, paused: list[int]
) -> None:
    """A client sleeps for one timeout before it looks again; several requests are one pause."""
    late = [at(40, CANCELLED.format(elapsed))] * 2
    ran = [] if ran_at is None else [at(ran_at, CANCELLED.format(4_504))]
    write(tmp_path / "1.log", [at(0, leads("t-0", 1)), SETTINGS, *ran, *late])
    found = answer(tmp_path).findings
    assert [each.evidence[0].value for each in found] == paused
    assert {each.site for each in found} <= {"frozen or starved"}


@pytest.mark.parametrize(("at_second", "site"), [
    (27, "link to the controller"), (5, "not heard of"), (None, "not heard of"),
])  # fmt: skip
def test_a_fenced_broker_whose_heartbeats_timed_out_before_had_lost_the_controller(
    tmp_path: Path, at_second: int | None, site: str
) -> None:
    timed_out = (
        "INFO [NodeToControllerChannelManager id=1 name=heartbeat] Cancelled in-flight"
        " BROKER_HEARTBEAT request with correlation id 71 due to node 100 being disconnected"
        " (elapsed time since creation: 4504ms, elapsed time since send: 4504ms, throttle time:"
        " 0ms, request timeout: 4500ms)"
    )
    lines = [at(0, leads("t-0", 1)), SETTINGS, *([at(at_second, timed_out)] if at_second else [])]
    write(tmp_path / "1.log", lines)
    write(tmp_path / "controller.log", [at(30, FENCED.format(broker=1)), at(45, UNFENCED)])
    assert [each.site for each in answer(tmp_path).findings] == [site]


@pytest.mark.parametrize(("unheard", "site"), [
    (12_007, "link to the controller"), (22_000, "frozen or starved"),
])  # fmt: skip
def test_a_session_with_zookeeper_is_lost_by_a_process_that_ran_or_did_not(
    tmp_path: Path, unheard: int, site: str
) -> None:
    expired = (
        f"INFO Client session timed out, have not heard from server in {unheard}ms for sessionid"
        " 0x100037b7bab0003, closing socket connection and attempting reconnect (ClientCnxn)"
    )
    session = "\tzookeeper.session.timeout.ms = 18000"
    write(tmp_path / "1.log", [at(0, leads("t-0", 1)), SETTINGS, session, at(29, expired)])
    away = "INFO [Controller id=2] Newly added brokers: {}, deleted brokers: {}, bounced brokers: "
    gone, back = at(30, away.format("", "1")), at(45, away.format("1", ""))
    write(tmp_path / "2.log", [at(0, leads("u-0", 2)), gone, back, at(99, "INFO x")])
    assert [each.site for each in answer(tmp_path).findings] == [site]


def test_a_controller_that_is_no_broker_is_none_in_the_answer(tmp_path: Path) -> None:
    write(tmp_path / "1.log", HEALTHY)
    own = ["INFO [ControllerServer id=100] Starting controller",
           "INFO [KafkaRaftServer nodeId=100] Kafka Server started"]  # fmt: skip
    write(tmp_path / "controller.log", [at(second, line) for second, line in enumerate(own)])
    gaps = answer(tmp_path).gaps
    assert any("no log of broker 1" in each for each in gaps)
    assert not any("broker 100" in each for each in gaps)


def test_a_partition_that_a_follower_gave_up_is_quoted(tmp_path: Path) -> None:
    gave_up = (
        "WARN [ReplicaFetcher replicaId=3, leaderId=1, fetcherId=0] Partition t-0 marked as failed"
    )
    dropped = at(40, shrinks("t-0", 1, "1,2,3", "1,2"))
    write(tmp_path / "1.log", [at(1, leads("t-0", 1)), dropped])
    write(tmp_path / "3.log", [at(28, gave_up), at(90, "INFO [Broker id=3] x")])
    (finding,) = answer(tmp_path, lag_ms=10_000).findings
    assert [each.file for each in finding.lines] == ["3.log", "1.log"]


def test_a_fencing_that_no_controller_replays_did_not_happen(tmp_path: Path) -> None:
    """A controller that was frozen may still want to fence, though it is none any more."""
    replayed = at(30, UNFENCED.replace("fenced=-1", "fenced=1"))
    stale = at(40, FENCED.format(broker=2).replace("id=100", "id=101"))
    lines = [at(0, leads("t-0", 1)), at(30, FENCED.format(broker=1)), replayed, stale]
    write(tmp_path / "controller.log", [*lines, at(45, UNFENCED), at(90, "INFO x")])
    found = answer(tmp_path, lag_ms=10_000)
    assert [each.broker for each in found.findings] == [1]
    assert not any("at one time" in each for each in found.gaps)


def test_a_shrink_that_the_log_does_not_confirm_did_not_happen(tmp_path: Path) -> None:
    """A leader that was frozen wants to shrink an ISR, though another broker leads by then."""
    other = at(30, MADE.format(partition="t-9"))
    stale = [at(1, leads("t-0", 1)), other, at(40, shrinks("t-0", 1, "1,2,3", "1"))]
    write(tmp_path / "1.log", [*stale, at(90, "INFO x")])
    assert answer(tmp_path, lag_ms=10_000).findings == ()
    for confirmed in ([*stale, at(41, MADE.format(partition="t-0")), at(90, "INFO x")], stale):
        write(tmp_path / "1.log", confirmed)
        assert [each.broker for each in answer(tmp_path, lag_ms=10_000).findings] == [1]


@pytest.mark.parametrize(("zone", "told"), [("UTC", False), ("Asia/Kolkata", True)])
def test_dates_of_another_zone_are_told_and_make_no_follower_late(
    tmp_path: Path, zone: str, told: bool
) -> None:
    """A shrink says in epoch time when a follower had caught up, whatever the zone of its date."""
    lines = [each for each in SLOW_LEADER if "Shrinking" not in each]
    lines.insert(4, at(40, shrinks("t-0", 1, "1,2,3", "1", caught_up=28)))
    write(tmp_path / "1.log", lines)
    found = answer(tmp_path, zone=zone)
    assert any("5.5 h after their dates" in gap for gap in found.gaps) is told
    assert found.findings[0].span.ms == (11_000 if told else 13_000)


@pytest.mark.parametrize(("second", "epoch", "offset", "named"), [
    (25, 0, -1, []), (25, 0, 0, []), (35, 0, 0, [1]), (25, 0, 3, [1]), (25, 1, -1, [1]),
])  # fmt: skip
def test_a_follower_that_has_not_begun_with_a_new_partition_says_nothing_of_its_leader(
    tmp_path: Path, second: int, epoch: int, offset: int, named: list[int]
) -> None:
    """Where many partitions are made at once, followers begin later than a lag."""
    both = f"(brokerId: 3, endOffset: {offset}), (brokerId: 2, endOffset: {offset}"
    shrink = shrinks("t-0", 1, "1,2,3", "1").replace("(brokerId: 2, endOffset: 3", both)
    made, led = MADE.format(partition="t-0"), leads("t-0", 1).replace("epoch 0", f"epoch {epoch}")
    write(tmp_path / "1.log", [at(10, led), at(second, shrink), at(second, made), at(90, "x")])
    found = answer(tmp_path, lag_ms=10_000)
    assert [each.broker for each in found.findings] == named
    assert any("new partition" in gap for gap in found.gaps) is not bool(named)


OLD = "Partition [t,{number}] on broker 1: {says}"
OLDER = "[Partition t-{number} broker=1] {says}"


@pytest.mark.parametrize(("named", "topic"), [(OLD, " for partition [t,0]"), (OLDER, "")])
def test_before_kafka_2_4_what_a_leader_proposes_was_made_unless_it_was_refused(
    tmp_path: Path, named: str, topic: str
) -> None:
    """Those releases do not log that an ISR was updated, so one may change several times."""

    def says(second: int, number: int, text: str) -> str:
        return at(second, f"INFO {named.format(number=number, says=text)} (kafka.x.Partition)")

    lines = []
    for second, number in ((30, 0), (31, 1), (60, 0)):
        lines.append(says(second, number, f"Shrinking ISR{topic} from 1,2,3 to 1"))
        lines.append(says(second + 9, number, f"Expanding ISR{topic} from 1 to 1,2,3"))
    lines += [
        says(70, 2, f"Shrinking ISR{topic} from 1,2,3 to 1"),
        says(70, 2, "Cached zkVersion [8] not equal to that in zookeeper, skip updating ISR"),
    ]
    write(tmp_path / "server.log", [*sorted(lines[:6]), *lines[6:], at(90, "INFO x")])
    found = answer(tmp_path, lag_ms=10_000)
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
def test_an_isr_that_grows_had_shrunk_before(tmp_path: Path, next_isr: str, line: str) -> None:
    """The leader may hear of its shrunk ISR from the metadata first, and logs nothing then."""
    grown = line.format(next_isr)
    lines = [SETTINGS, at(1, leads("t-0", 1)), at(40, shrinks("t-0", 1, "1,2,3", "1"))]
    write(tmp_path / "1.log", [at(0, "INFO x"), *lines, at(42, grown), at(99, "INFO x")])
    (finding,) = answer(tmp_path).findings
    assert finding.broker == 1
    assert [(each.follower, each.rightly) for each in finding.blamed] == [(2, False), (3, False)]


@pytest.mark.parametrize(("apart_min", "times"), [(5, [4]), (15, [1, 1, 1, 1])])
def test_an_isr_that_flaps_is_one_finding(tmp_path: Path, apart_min: int, times: list[int]) -> None:
    lines = [SETTINGS, at(1, leads("t-0", 1))]
    for number in range(4):
        second = 60 * apart_min * number + 60
        made = MADE.format(partition="t-0")
        lines += [at(second, shrinks("t-0", 1, "1,2,3", "1")), at(second, made)]
        lines.append(at(second + 20, BACK))
    write(tmp_path / "1.log", [at(0, "INFO x"), *lines, at(3_500, "INFO x")])
    found = answer(tmp_path)
    assert [each.times for each in found.findings] == times
    assert sum(each.kip_501.removals for each in found.findings if each.kip_501) == 8
    assert sum(each.kip_501.under_min_isr for each in found.findings if each.kip_501) == 80
    assert any(", 4 times" in each for each in terminal_lines(found)) is (times == [4])


def test_a_leader_that_hangs_is_named_from_excerpts_as_they_are_pasted_into_issues(
    tmp_path: Path,
) -> None:
    """Of Kafka 0.10: few lines, and whose they are said by any of them, such as of the fetchers."""
    shrink = OLD.format(number=0, says="Shrinking ISR for partition [t,0] from 1,2,3 to 1")
    write(tmp_path / "1.log", [at(28, f"INFO {shrink} (kafka.cluster.Partition)"), at(90, "x")])
    for broker in (2, 3):
        own = at(12, f"INFO [ReplicaFetcherManager on broker {broker}] Removed fetcher for x")
        write(tmp_path / f"{broker}.log", [own, at(38, OLD_FETCHER.format(broker, 1)), at(90, "x")])
    (finding,) = answer(tmp_path, lag_ms=10_000).findings
    assert (finding.broker, finding.cause) == (1, "disk")
    assert {each.rightly for each in finding.blamed} == {False}


@pytest.mark.parametrize(("after", "cause"), [(1, "disk"), (15, "process")])
def test_a_broker_that_ends_when_a_log_directory_fails_has_a_disk_to_look_at(
    tmp_path: Path, after: int, cause: str
) -> None:
    failed = "WARN [ReplicaManager broker=2] Stopping serving replicas in dir /data with uuid x"
    lines = [at(0, STARTED), at(20, failed), at(20 + after, "INFO the last words"), at(70, BOOTED)]
    write(tmp_path / "server.log", [*lines, at(80, STARTED), at(99, "INFO more")])
    found = answer(tmp_path, lag_ms=10_000).findings
    assert found[-1].cause == cause
    assert len(found) == (1 if cause == "disk" else 2)


STOPPING = "INFO Terminating process due to signal SIGTERM (org.apache.kafka.LoggingSignalHandler)"


def test_brokers_that_stop_at_the_end_are_not_the_controllers_matter(tmp_path: Path) -> None:
    for broker in (1, 2):
        lines = [at(1, leads(f"t-{broker}", broker)), at(60, STOPPING)]
        write(tmp_path / f"{broker}.log", lines)
    fenced = [at(61, FENCED.format(broker=broker)) for broker in (1, 2)]
    write(tmp_path / "controller.log", [at(0, "INFO x"), *fenced, at(90, "INFO x")])
    found = answer(tmp_path, lag_ms=10_000)
    assert [each.site for each in found.findings] == ["stopped on request"] * 2
    assert not any("at one time" in each for each in found.gaps)


@pytest.mark.parametrize(("second", "fenced"), [(75, []), (85, [1])])
def test_what_a_controller_reads_while_it_starts_is_history(
    tmp_path: Path, second: int, fenced: list[int]
) -> None:
    node = [at(0, STARTED), at(60, STOPPING), at(70, BOOTED), at(80, STARTED), at(99, "INFO x")]
    write(tmp_path / "2" / "server.log", [at(0, leads("t-2", 2)), *node])
    own = at(0, "INFO [QuorumController id=2] x")
    replayed = at(second, UNFENCED.replace("id=100", "id=2").replace("fenced=-1", "fenced=1"))
    write(tmp_path / "2" / "controller.log", [own, replayed, at(99, "INFO x")])
    write(tmp_path / "1" / "server.log", HEALTHY_1)
    sites = [each.broker for each in answer(tmp_path, lag_ms=10_000).findings if each.broker == 1]
    assert sites == fenced


def test_a_long_collection_is_a_pause_of_the_process(tmp_path: Path) -> None:
    pause = "GC(3) Pause Full (Allocation Failure) 900M->880M(1024M) 8123.456ms"
    write(tmp_path / "1" / "server.log", HEALTHY)
    write(tmp_path / "1" / "kafkaServer-gc.log", [f"[2026-01-02T03:00:50.000+0000][gc] {pause}"])
    (found,) = answers([str(tmp_path)], 10_000, r"/(\d+)/", "UTC")
    (finding,) = found.findings
    assert (finding.broker, finding.site) == (1, "frozen or starved")
    (finding,) = answer(tmp_path, lag_ms=10_000).findings
    assert (finding.broker, finding.site) == (2, "frozen or starved")  # the server.log beside it
    write(tmp_path / "1" / "other.log", SLOW_LEADER[3:4])
    assert answer(tmp_path, lag_ms=10_000).findings == ()  # there are logs of two brokers beside it


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
def test_layouts_of_lines_give_the_same_answer(tmp_path: Path, layout: object) -> None:
    assert callable(layout)
    write(tmp_path / "plain" / "server.log", SLOW_LEADER)
    laid_out = [layout(line) if line != SETTINGS else line for line in SLOW_LEADER]
    write(tmp_path / "other" / "server.log", laid_out)
    (one,), (other,) = (answer(tmp_path / name).findings for name in ("plain", "other"))
    assert [each.number for each in one.lines] == [each.number for each in other.lines] == [5, 7]
    assert replace(one, lines=()) == replace(other, lines=())


def test_gzipped_and_rotated_files_are_read_and_segments_are_not(tmp_path: Path) -> None:
    text = "\n".join(SLOW_LEADER)
    (tmp_path / "server.log.2026-01-02-03.gz").write_bytes(gzip.compress(text.encode()))
    write(tmp_path / "server.log.1", HEALTHY)
    write(tmp_path / "t-0" / "00000000000000000000.log", ["\0\1\2 binary"])
    assert {each.name for each in files_of([str(tmp_path)])} == {
        "server.log.2026-01-02-03.gz", "server.log.1",
    }  # fmt: skip
    assert answer(tmp_path).findings[0].broker == 1


def test_the_lag_is_that_of_the_brokers_settings_or_at_most_what_a_shrink_shows(
    tmp_path: Path,
) -> None:
    late = shrinks("t-0", 1, "1,2,3", "1", caught_up=5)
    write(tmp_path / "server.log", [at(1, leads("t-0", 1)), at(20, late)])
    assert any("taken for 15000" in each for each in answer(tmp_path).gaps)
    write(tmp_path / "other.log", SLOW_LEADER)
    assert not any("taken for" in each for each in answer(tmp_path).gaps)


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
    ("logs", "broker_from", "zone", "said"),
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
    tmp_path: Path, logs: str, broker_from: str | None, zone: str, said: str
) -> None:
    (tmp_path / "empty").mkdir()
    write(tmp_path / "junk.log", ["junk"])
    write(tmp_path / "good.log", HEALTHY)
    with pytest.raises(InputError, match=said):
        answers([str(tmp_path / logs)], None, broker_from, zone)


def test_a_broker_had_ended_when_the_first_fetcher_failed_at_once(tmp_path: Path) -> None:
    failed = (
        "WARN [ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0] Error in response for fetch"
        " request (x): Connection to 2 was disconnected before the response was read"
    )
    lines = [at(0, STARTED), at(20, "INFO the last words"), at(70, BOOTED), at(80, STARTED)]
    write(tmp_path / "2.log", [*lines, at(99, "INFO more")])
    write(tmp_path / "3.log", [at(1, leads("t-0", 3)), at(65, failed)])
    (finding,) = answer(tmp_path, lag_ms=10_000).findings
    assert (finding.site, finding.span.ms) == ("ended", 15_000)


def test_a_start_is_one_that_two_files_have_and_files_are_read_in_any_order(tmp_path: Path) -> None:
    old, new = [at(0, STARTED), at(20, "INFO last")], [at(70, BOOTED), at(80, STARTED), at(99, "x")]
    for name in ("server.log.2026-01-02", "stdout.log.1"):
        write(tmp_path / name, old)
    for name in ("server.log", "stdout.log"):
        write(tmp_path / name, new)
    (finding,) = answer(tmp_path, lag_ms=10_000).findings
    assert (finding.broker, finding.site, finding.span.ms) == (2, "ended", 60_000)
    assert len([each for each in finding.lines if "started" in each.text]) == 1
    for name in ("server.log", "stdout.log"):
        write(tmp_path / name, [at(99, "INFO x")])
    assert answer(tmp_path, lag_ms=10_000).findings == ()
