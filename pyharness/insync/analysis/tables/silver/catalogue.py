"""Defines the schemas of the silver tables."""

from __future__ import annotations

from insync.analysis.checks.history import PARTITION, REPEAT
from insync.analysis.tables.contracts import (
    Column,
    Contract,
    Rule,
    count,
    flag,
    ids,
    ms,
    text,
    whole,
)

RUN_OF = text("run", "the run's name in table runs")
OF_REPEAT = (RUN_OF, text("arm", "the arm"), whole("repeat", "the repeat, from 0"))
OF_TOPIC = (*OF_REPEAT, text("topic", "the repeat's own topic"))
OF_PARTITION = (*OF_TOPIC, whole("partition", "the partition"))
WINDOW = (ms("start_ms", "its start (epoch)"), ms("end_ms", "its end (epoch)"))
FORWARD = Rule("it does not end before it begins", "end_ms >= start_ms")
LEADER = whole("leader", "the leader; -1: none")
SITE = text("site", "the site of that fault; empty if its kind has none", null=True)

RUNS = Contract(
    "runs",
    "The runs: their settings and folders.",
    ("run",),
    (
        text("run", "its name: scenario, start, digest of the settings"),
        text("scenario", "the scenario's name"),
        text("kafka", "the brokers' Kafka version"),
        text("cluster", "local processes or containers"),
        Column("scale", "double", "", "the factor of the scenario's times"),
        whole("seed", "the seed of the records' bytes", of="bigint"),
        Column("arms", "array<string>", "", "its arms, in order"),
        Column("control_arms", "array<string>", "", "the arms that others are compared with"),
        whole("repeats", "repeats per arm"),
        whole("partitions", "partitions of each repeat's topic"),
        whole("min_insync_replicas", "min.insync.replicas", "replicas"),
        text("acks", 'whose acks its producers outside of transactions wait for: "all" or "1"'),
        ms("lag_ms", "replica.lag.time.max.ms of the scenario"),
        ms("cooldown_ms", "insync.relinquish.cooldown.ms"),
        ms("started_ms", "when it began (epoch)"),
        ms("finished_ms", "when it ended (epoch); null: interrupted", null=True),
        flag("finished", "whether it completed"),
        text("folder", "its folder"),
    ),
)
INPUTS = Contract(
    "inputs",
    "The folders that were searched for runs, and their problems.",
    (),
    (
        text("folder", "the folder"),
        text("run", "its run; null: none, or a copy of a run in another folder", null=True),
        flag("used", "whether its events are in the tables"),
        text("problem", "what is wrong with it; null: nothing", null=True),
    ),
)
INPUT_LINES = Contract(
    "input_lines",
    "The event files, and how many of their lines could not be read.",
    ("run", "file"),
    (
        RUN_OF,
        text("file", "the file, below events/"),
        count("lines", "its lines", "lines"),
        count("unreadable", "lines that cannot be read; bronze says why", "lines"),
        count("skewed", "readable lines more than 60 s outside of their run's time", "lines"),
    ),
)
REPEATS = Contract(
    "repeats",
    "The time windows that the figures of repeats are computed over.",
    tuple(REPEAT),
    (
        *OF_TOPIC,
        *WINDOW,
        flag("complete", "whether the repeat completed"),
        ms("host_gap_ms", "longest time for which the harness was not scheduled", null=True),
        whole("seed", "the repeat's seed", null=True, of="bigint"),
    ),
    (FORWARD,),
)
PARTITIONS = Contract(
    "partitions",
    "Every partition of every repeat, also those without any event.",
    tuple(PARTITION),
    (*OF_PARTITION, *WINDOW),
    (FORWARD,),
)
FAULTS = Contract(
    "faults",
    "Faults that were injected, and the evidence that they had an effect.",
    (*REPEAT, "fault_no"),
    (
        *OF_REPEAT,
        whole("fault_no", "counts from 0 within the repeat"),
        text("fault", "its kind"),
        text("site", "where it stalls; empty if the kind has no site", null=True),
        text("mode", "hold or delay; empty if the kind has no mode", null=True),
        whole("broker", "the broker, or the controller (0 or less)"),
        Column("target", "array<string>", "", "the partitions; empty: all", null=True),
        ms("injected_ms", "when it was injected (epoch)"),
        ms("lifted_ms", "when it was lifted (epoch)", null=True),
        ms("planned_ms", "the planned duration", null=True),
        count("calls_held", "system calls that it stalled", null=True),
        ms("held_ms", "how long it stalled them, summed over the calls", null=True),
        ms("longest_held_ms", "the longest stall of one call", null=True),
        ms("acted_ms", "how long the evidence shows an effect", null=True),
        Column("figures", "map<string,double>", "", "further evidence, by name", null=True),
    ),
)
ISR_INTERVALS = Contract(
    "isr_intervals",
    "Intervals in which a partition's leader and ISR did not change, within its repeat.",
    (*PARTITION, "start_ms"),
    (
        *OF_PARTITION,
        LEADER,
        whole("leader_epoch", "the leader's epoch"),
        ids("isr", "the ISR"),
        whole("isr_size", "its size", "replicas"),
        ids("replicas", "the assigned replicas"),
        ids("adding", "those that a reassignment adds; null: not recorded", null=True),
        *WINDOW,
    ),
    (Rule("it ends after it begins", "end_ms > start_ms"),),
)
ISR_SHRINKS = Contract(
    "isr_shrinks",
    "ISR changes that removed members, and their causes.",
    (*PARTITION, "t_ms", "isr_before", "isr_after"),
    (
        *OF_PARTITION,
        ms("t_ms", "when (epoch)"),
        whole("leader", "the leader before the change"),
        whole("leader_epoch", "the epoch after the change"),
        ids("isr_before", "the ISR before"),
        ids("isr_after", "the ISR after"),
        ids("removed", "the removed replicas"),
        text("cause", 'fenced, stepped down, lag, link, "leader: FAULT", "follower: FAULT"'),
        whole("fault_no", "the fault that caused it", null=True),
        SITE,
        text("moment", "before, during, on_lift or after; null: no fault", null=True),
        ms(
            "due_ms",
            "when the leader could first see that the follower was late (epoch)",
            null=True,
        ),
        ms("late_ms", "how much later than due_ms it was", null=True),
        flag("delayed", "whether it was later than the next run of isr-expiration"),
    ),
)
FOLLOWER_DROPS = Contract(
    "follower_drops",
    "Followers that were removed from an ISR, and whether they were healthy.",
    (*PARTITION, "t_ms", "replica"),
    (
        *OF_PARTITION,
        ms("t_ms", "when (epoch)"),
        whole("replica", "the follower"),
        flag("healthy", "whether neither a fault at it nor fencing explains the removal"),
    ),
)
LEADER_CHANGES = Contract(
    "leader_changes",
    "Changes of a partition's leader within a repeat.",
    (*PARTITION, "leader_epoch"),
    (
        *OF_PARTITION,
        ms("t_ms", "when (epoch)"),
        whole("leader_before", "the leader before it"),
        whole("leader", "the new leader"),
        whole("leader_epoch", "the new epoch"),
        ids("isr", "the ISR after the change"),
        flag("planned", "whether an election that the scenario asked for explains it"),
    ),
)
DEAD_FOLLOWERS = Contract(
    "dead_followers",
    "Followers that stopped fetching because of a fault, and how long they stayed in the ISR.",
    (*PARTITION, "fault_no"),
    (
        *OF_PARTITION,
        whole("fault_no", "the fault"),
        text("fault", "its kind"),
        whole("broker", "the follower"),
        ms("injected_ms", "when the fault was injected (epoch)"),
        ms("dropped_ms", "when it was removed (epoch); null: not within the repeat", null=True),
        ms("took_ms", "how long it stayed in the ISR", null=True),
    ),
)
CONTROLLER_AGENT = Contract(
    "controller_agent",
    "Whether the controller's agent was active, and its errors.",
    tuple(REPEAT),
    (
        *OF_REPEAT,
        flag("woven", "whether its classes were transformed", null=True),
        count("new_errors", "errors in this repeat", null=True),
    ),
)
LIVENESS = Contract(
    "liveness",
    "What the cluster did not do in time, or nodes that ended by themselves.",
    (),
    (
        *OF_REPEAT,
        ms("t_ms", "when it was noticed (epoch)"),
        text("type", "isr_not_recovered, unplanned_exit or read_back_unfinished"),
        whole("node", "the node that ended; null for the other types", null=True),
        text("note", "what was waited for, and the last state seen", null=True),
    ),
)
CLOCKS = Contract(
    "clocks",
    "How far the clocks of the nodes were ahead of the harness's when the repeats were over.",
    (*REPEAT, "broker"),
    (
        *OF_REPEAT,
        whole("broker", "the broker, or the controller"),
        ms("ahead_ms", "how far its clock was ahead"),
        ms("error_ms", "how wrong that may be, in both directions"),
    ),
)
STEP_DOWNS = Contract(
    "step_downs",
    "What leaders did when they served too slowly: answered requests to step down, and decisions "
    "not to ask.",
    (),
    (
        *OF_PARTITION,
        ms("t_ms", "when (epoch)"),
        whole("broker", "the leader"),
        whole("leader_epoch", "its epoch", null=True),
        whole("successor", "the proposed leader", null=True),
        text("isr_policy", "whether the leader stays in the ISR", null=True),
        text("outcome", "done, refused, failed or withheld"),
        text("reason", "the reason", null=True),
        text("way", "how the request was sent", null=True),
        text("error", "the error", null=True),
        ms("pending_ms", "how long the oldest fetch had been overdue", null=True),
        ms("asked_ms", "how long the answer took", null=True),
        count(
            "in_cooldown",
            "step-downs of the partition within one cool-down from then on; null: not done",
            null=True,
        ),
    ),
)
STEP_DOWN_SOURCES = Contract(
    "step_down_sources",
    "Brokers whose step-down events were read; about others nothing is known.",
    (*REPEAT, "broker"),
    (*OF_REPEAT, whole("broker", "the broker")),
)
AGENT_COUNTERS = Contract(
    "agent_counters",
    "The counters of each broker's agent at the end of each repeat.",
    (*REPEAT, "broker"),
    (
        *OF_REPEAT,
        whole("broker", "the broker"),
        flag("enabled", "whether the feature was on", null=True),
        *(
            count(name, says, null=True)
            for name, says in (
                ("errors", "exceptions in the agent's own code since the broker's start"),
                ("events_dropped", "events that it dropped and did not write"),
                ("holds_granted", "how often it kept a follower in the ISR"),
                ("marks_total", "pending fetches that it marked"),
                ("released_total", "marks that it released"),
                ("pending_now", "fetches that are pending now"),
                ("held_now", "followers that it keeps in the ISR now"),
            )
        ),
        ms("longest_hold_ms", "the longest hold", null=True),
        text("lag_policy", "insync.lab.lag.policy", null=True),
        count("new_errors", "errors in this repeat", null=True),
        count("new_events_dropped", "events dropped in this repeat", null=True),
        count("new_holds_granted", "holds granted in this repeat", null=True),
    ),
)
RACED_REPLICAS = Contract(
    "raced_replicas",
    "The state of each replica in a race with the deletion of its leader's records.",
    (*REPEAT, "broker", "partition"),
    (
        *OF_REPEAT,
        whole("broker", "the replica's broker"),
        whole("partition", "the partition"),
        count("samples", "how often it was sampled"),
        count(
            "start_above_end", "samples with a log start offset above the log end offset", "samples"
        ),
        count(
            "start_above_watermark",
            "samples with a log start offset above the high watermark",
            "samples",
        ),
        whole(
            "log_start_offset",
            "the last log start offset; null: interrupted",
            null=True,
            of="bigint",
        ),
        whole("leo", "the last log end offset; null: interrupted", null=True, of="bigint"),
        whole("fetchers_before", "the broker's fetcher threads before the race", null=True),
        whole(
            "fetchers_after",
            "the broker's fetcher threads after the race; null: interrupted",
            null=True,
        ),
        count("failed", "partitions that its fetchers marked as failed during the race", null=True),
        count("put_right", "log start offsets that the agent corrected during the race", null=True),
    ),
)
OPERATIONS = Contract(
    "operations",
    "Records that were due, and how their sends ended.",
    (),
    (
        *OF_PARTITION,
        whole("seq", "the record's number in its partition", of="bigint"),
        ms("sent_ms", "when it was due (epoch), not when it was sent"),
        ms("done_ms", "when it was answered (epoch); null: never", null=True),
        ms("latency_ms", "from when it was due until its answer", null=True),
        text("error", "Kafka's name of the error", null=True),
        whole("offset", "the offset of its ack", null=True, of="bigint"),
        whole("producer", "the number of the producer among the partition's", null=True),
        flag("idempotent", "whether its producer was idempotent", null=True),
        whole("transaction", "its transaction; null: none", null=True, of="bigint"),
        flag("judged", "whether it was due within its repeat's window"),
    ),
    (Rule("latency is not negative", "latency_ms >= 0"),),
    bulk=True,
)
FATES = Contract(
    "fates",
    "Records that were due or were read: whether they were acked, and where they were read.",
    (),
    (
        *OF_PARTITION,
        whole("seq", "the record's number in its partition", of="bigint"),
        whole("transaction", "its transaction; null: none", null=True, of="bigint"),
        whole("producer", "the number of the producer among the partition's", null=True),
        flag("idempotent", "whether its producer was idempotent"),
        ms("sent_ms", "when it was due (epoch); null: it was not sent", null=True),
        ms("done_ms", "when it was answered (epoch); null: never", null=True),
        flag("acked", "whether it was acked; in a transaction: and that was committed"),
        whole("offset", "the offset of its ack", null=True, of="bigint"),
        count("times_read", "how often it was read"),
        whole("first_offset", "the lowest offset at which it was read", null=True, of="bigint"),
        whole("last_offset", "the highest offset at which it was read", null=True, of="bigint"),
        ms("read_ms", "when it was first read (epoch)", null=True),
        count(
            "fresh_reads",
            "how often the fresh consumer read it, which began at offset 0 after the repeat; "
            "null: there was none, or it did not read to the end",
            null=True,
        ),
        whole("fresh_first_offset", "the lowest offset of these", null=True, of="bigint"),
        whole("fresh_last_offset", "the highest offset of these", null=True, of="bigint"),
        ms("inside_ms", "when a transaction first read it (epoch); null: never", null=True),
        whole("inside_offset", "at which offset", null=True, of="bigint"),
        text("end", "how its transaction ended; null: it was in none", null=True),
        ms("asked_ms", "when that end was requested (epoch); infinite: never", null=True),
    ),
    bulk=True,
)
SILVER = (
    RUNS,
    INPUTS,
    INPUT_LINES,
    REPEATS,
    PARTITIONS,
    FAULTS,
    ISR_INTERVALS,
    ISR_SHRINKS,
    FOLLOWER_DROPS,
    LEADER_CHANGES,
    DEAD_FOLLOWERS,
    AGENT_COUNTERS,
    RACED_REPLICAS,
    CONTROLLER_AGENT,
    LIVENESS,
    CLOCKS,
    STEP_DOWNS,
    STEP_DOWN_SOURCES,
    OPERATIONS,
    FATES,
)
