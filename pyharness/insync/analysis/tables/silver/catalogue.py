"""The contracts of silver: what happened, cleaned and keyed."""

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

RUN_OF = text("run", "the run, as table runs names it")
OF_REPEAT = (RUN_OF, text("arm", "the arm"), whole("repeat", "the repeat, from 0"))
OF_TOPIC = (*OF_REPEAT, text("topic", "the repeat's own topic"))
OF_PARTITION = (*OF_TOPIC, whole("partition", "the partition"))
WINDOW = (ms("start_ms", "when it began (epoch)"), ms("end_ms", "when it ended (epoch)"))
FORWARD = Rule("it ends after it begins", "end_ms >= start_ms")
LEADER = whole("leader", "the broker that led; -1: none")
SITE = text("site", "where that fault stalls; empty where its kind has no site", null=True)

RUNS = Contract(
    "runs",
    "The runs: what was asked for, and where each is.",
    ("run",),
    (
        text("run", "its name: scenario, start, digest of what was asked for"),
        text("scenario", "the scenario's name"),
        text("kafka", "the brokers' version"),
        text("cluster", "what the nodes ran in"),
        Column("scale", "double", "", "what the scenario's times were multiplied by"),
        whole("seed", "decides the bytes of the records", of="bigint"),
        Column("arms", "array<string>", "", "its arms, in order"),
        Column("control_arms", "array<string>", "", "those that show what happens without"),
        whole("repeats", "repeats per arm"),
        whole("partitions", "partitions of each repeat's topic"),
        whole("min_insync_replicas", "min.insync.replicas", "replicas"),
        ms("lag_ms", "replica.lag.time.max.ms, as the scenario has it"),
        ms("cooldown_ms", "leader.relinquish.cooldown.ms"),
        Column(
            "bursts",
            "array<struct<partition:int,records:int>>",
            "records",
            "partitions with bursts, and their size",
        ),
        ms("started_ms", "when it began (epoch)"),
        ms("finished_ms", "when it ended (epoch); null: cut short", null=True),
        flag("finished", "whether it came to its end"),
        text("folder", "its folder"),
        text("folder_uri", "its folder, as Spark names files"),
    ),
)
INPUTS = Contract(
    "inputs",
    "The folders that were looked at, and what is wrong with them.",
    (),
    (
        text("folder", "the folder"),
        text("run", "its run; null: none, or a copy of another folder's", null=True),
        flag("used", "whether its events are in the tables"),
        text("problem", "what was found wanting; null: nothing", null=True),
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
        count("unreadable", "those that are in bronze's quarantine", "lines"),
        count("skewed", "readable, but more than 60 s outside of their run's time", "lines"),
    ),
)
REPEATS = Contract(
    "repeats",
    "The windows in which repeats are judged.",
    tuple(REPEAT),
    (
        *OF_TOPIC,
        *WINDOW,
        flag("complete", "whether the repeat came to its own end"),
        ms("host_gap_ms", "longest time for which the harness got no turn", null=True),
        whole("seed", "the repeat's own seed", null=True, of="bigint"),
    ),
    (FORWARD,),
)
PARTITIONS = Contract(
    "partitions",
    "Every partition of every repeat, whether it left a trace or not.",
    tuple(PARTITION),
    (*OF_PARTITION, *WINDOW),
    (FORWARD,),
)
FAULTS = Contract(
    "faults",
    "Faults that were injected, and the evidence that they acted.",
    (*REPEAT, "fault_no"),
    (
        *OF_REPEAT,
        whole("fault_no", "counts from 0 within the repeat"),
        text("fault", "its kind"),
        text("site", "where it stalls; empty where the kind has no site", null=True),
        text("mode", "hold or delay; empty where the kind has no mode", null=True),
        whole("broker", "the broker, or the controller (0 or less)"),
        Column("target", "array<string>", "", "the partitions; empty: all", null=True),
        ms("injected_ms", "when it was injected (epoch)"),
        ms("lifted_ms", "when it was lifted (epoch)", null=True),
        ms("planned_ms", "how long it was to act", null=True),
        count("calls_held", "system calls that it held", null=True),
        ms("held_ms", "how long, summed over those calls", null=True),
        ms("longest_held_ms", "how long the longest of them was held", null=True),
        ms("acted_ms", "how long it provably acted", null=True),
        Column("figures", "map<string,double>", "", "what else shows it, by kind", null=True),
    ),
)
ISR_INTERVALS = Contract(
    "isr_intervals",
    "Spans in which a partition's leader and ISR stood, within its repeat.",
    (*PARTITION, "start_ms"),
    (
        *OF_PARTITION,
        LEADER,
        whole("leader_epoch", "the leader's epoch"),
        ids("isr", "the ISR"),
        whole("isr_size", "its size", "replicas"),
        ids("replicas", "the assignment"),
        *WINDOW,
    ),
    (Rule("it lasts", "end_ms > start_ms"),),
)
LEADER_INTERVALS = Contract(
    "leader_intervals",
    "Spans in which a partition had one leader, within its repeat.",
    (*PARTITION, "leader_epoch", "leader"),
    (*OF_PARTITION, LEADER, whole("leader_epoch", "the leader's epoch"), *WINDOW),
    (FORWARD,),
)
ISR_SHRINKS = Contract(
    "isr_shrinks",
    "ISR changes that removed members, and what each is put down to.",
    (*PARTITION, "t_ms", "isr_before", "isr_after"),
    (
        *OF_PARTITION,
        ms("t_ms", "when (epoch)"),
        whole("leader", "the broker that led before the change"),
        whole("leader_epoch", "the epoch after the change"),
        ids("isr_before", "the ISR before"),
        ids("isr_after", "the ISR after"),
        ids("removed", "who was removed"),
        text("cause", 'fenced, stepped down, lag, link, "leader: FAULT", "follower: FAULT"'),
        whole("fault_no", "the fault that is blamed", null=True),
        SITE,
        text("moment", "before, during, on_lift or after; null: no fault", null=True),
        ms("due_ms", "when the leader could first find the follower late (epoch)", null=True),
        ms("late_ms", "how much later than that", null=True),
        flag("delayed", "whether it came later than isr-expiration's next look"),
    ),
)
ISR_EXPANDS = Contract(
    "isr_expands",
    "Replicas that joined an ISR, and the shrink that put them out.",
    (*PARTITION, "t_ms", "replica", "line"),
    (
        *OF_PARTITION,
        whole("replica", "who joined"),
        ms("t_ms", "when (epoch)"),
        LEADER,
        ms("out_ms", "how long it had been out; null: since before the repeat", null=True),
        text("cause", "what that shrink is put down to", null=True),
        SITE,
        whole("line", "the line of the controller's history", of="bigint"),
    ),
)
FOLLOWER_DROPS = Contract(
    "follower_drops",
    "Followers that left an ISR, and whether they were healthy.",
    (*PARTITION, "t_ms", "replica"),
    (
        *OF_PARTITION,
        ms("t_ms", "when (epoch)"),
        whole("replica", "the follower"),
        flag("healthy", "whether neither a fault at it nor its fencing accounts for it"),
    ),
)
LEADER_CHANGES = Contract(
    "leader_changes",
    "Changes of a partition's leader inside a repeat.",
    (*PARTITION, "leader_epoch"),
    (
        *OF_PARTITION,
        ms("t_ms", "when (epoch)"),
        whole("leader_before", "who led last"),
        whole("leader", "who leads from then on"),
        whole("leader_epoch", "the new epoch"),
        ids("isr", "the ISR from then on"),
        flag("planned", "whether the scenario had this broker elected"),
    ),
)
DEAD_FOLLOWERS = Contract(
    "dead_followers",
    "Followers that a fault kept from fetching, and how long their leaders kept them in the ISR.",
    (*PARTITION, "fault_no"),
    (
        *OF_PARTITION,
        whole("fault_no", "the fault"),
        text("fault", "its kind"),
        whole("broker", "whom it befell"),
        ms("injected_ms", "when (epoch)"),
        ms("dropped_ms", "when it was dropped (epoch); null: not in the repeat", null=True),
        ms("took_ms", "how long it stayed", null=True),
    ),
)
CONTROLLER_AGENT = Contract(
    "controller_agent",
    "Whether the controller's agent was woven, and its errors.",
    tuple(REPEAT),
    (
        *OF_REPEAT,
        flag("woven", "whether it was woven", null=True),
        count("new_errors", "errors that this repeat added", null=True),
    ),
)
STEP_DOWNS = Contract(
    "step_downs",
    "What leaders did about serving too slowly: step-downs answered, and decisions not to ask.",
    (),
    (
        *OF_PARTITION,
        ms("t_ms", "when (epoch)"),
        whole("broker", "who led"),
        whole("leader_epoch", "in which epoch", null=True),
        whole("successor", "who was to lead", null=True),
        text("isr_policy", "what was to become of its place in the ISR", null=True),
        text("outcome", "done, refused, failed or withheld"),
        text("reason", "why", null=True),
        text("way", "which way was taken", null=True),
        text("error", "what was wrong", null=True),
        ms("pending_ms", "how long the oldest fetch had been pending", null=True),
        ms("asked_ms", "how long the answer took", null=True),
        Column("score", "double", "", "the broker's score", null=True),
        count("in_cooldown", "done within one cool-down from then on; null: not done", null=True),
    ),
)
STEP_DOWN_SOURCES = Contract(
    "step_down_sources",
    "Brokers whose step-down events were read, without which nothing is known of them.",
    (*REPEAT, "broker"),
    (*OF_REPEAT, whole("broker", "the broker")),
)
HOLDS = Contract(
    "holds",
    "Fetches that stood in a leader's hands for more than half of the lag limit.",
    (*PARTITION, "broker", "line"),
    (
        *OF_TOPIC,
        whole("partition", "the partition; -1: all of the fetch, in scope request"),
        whole("broker", "the leader"),
        whole("replica", "the follower"),
        ms("start_ms", "when the fetch came (epoch)"),
        ms("end_ms", "when it left the leader's hands (epoch)"),
        ms("held_ms", "how long it stood"),
        text("site", "the broker's fault that overlaps it longest; null: none", null=True),
        whole("line", "the line of the broker's event file", of="bigint"),
    ),
    (FORWARD,),
)
AGENT_COUNTERS = Contract(
    "agent_counters",
    "What each broker's agent had counted at the end of each repeat.",
    (*REPEAT, "broker"),
    (
        *OF_REPEAT,
        whole("broker", "the broker"),
        flag("enabled", "whether the feature was on", null=True),
        *(
            count(name, says, null=True)
            for name, says in (
                ("errors", "exceptions in our own code, since the broker's start"),
                ("events_dropped", "events that are missing from its file"),
                ("holds_granted", "followers that it kept in sync"),
                ("marks_total", "fetches that it marked"),
                ("released_total", "marks that ended"),
                ("pending_now", "fetches in its hands"),
                ("held_now", "followers held in sync"),
            )
        ),
        ms("longest_hold_ms", "the longest hold", null=True),
        text("lag_policy", "replica.lag.policy", null=True),
        count("new_errors", "errors that this repeat added", null=True),
        count("new_events_dropped", "dropped events that this repeat added", null=True),
        count("new_holds_granted", "holds that this repeat added", null=True),
    ),
)
RACED_REPLICAS = Contract(
    "raced_replicas",
    "What became of each replica in a race with the deletion of its leader's records.",
    (*REPEAT, "broker", "partition"),
    (
        *OF_REPEAT,
        whole("broker", "the replica's broker"),
        whole("partition", "the partition"),
        count("samples", "how often it was looked at"),
        count("start_above_end", "log start offset above the log end offset", "samples"),
        count("start_above_watermark", "the same above its high watermark", "samples"),
        whole("log_start_offset", "its last; null: cut short", null=True, of="bigint"),
        whole("leo", "its last log end offset; null: cut short", null=True, of="bigint"),
        whole("fetchers_before", "the broker's fetcher threads before the race", null=True),
        whole("fetchers_after", "those after it; null: cut short", null=True),
        count("failed", "partitions that its fetchers gave up meanwhile", null=True),
        count("put_right", "log start offsets that the agent put right meanwhile", null=True),
    ),
)
OPERATIONS = Contract(
    "operations",
    "Records that were to be produced.",
    (),
    (
        *OF_PARTITION,
        whole("seq", "the record's number in its partition", of="bigint"),
        ms("sent_ms", "when it was due (epoch): the intended time, not when it went"),
        ms("done_ms", "when it was answered (epoch); null: never", null=True),
        ms("latency_ms", "from when it was due to its answer", null=True),
        text("error", "Kafka's name of the error", null=True),
        whole("offset", "the offset of its ack", null=True, of="bigint"),
        whole("producer", "who sent it, of the partition's", null=True),
        flag("idempotent", "whether its producer was idempotent", null=True),
        whole("transaction", "its transaction; null: none", null=True, of="bigint"),
        whole("leader", "who led when it was due; null: nobody, or not known", null=True),
        flag("judged", "whether its repeat's window had opened"),
    ),
    (Rule("latency is not negative", "latency_ms >= 0"),),
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
    LEADER_INTERVALS,
    ISR_SHRINKS,
    ISR_EXPANDS,
    HOLDS,
    FOLLOWER_DROPS,
    LEADER_CHANGES,
    DEAD_FOLLOWERS,
    AGENT_COUNTERS,
    RACED_REPLICAS,
    CONTROLLER_AGENT,
    STEP_DOWNS,
    STEP_DOWN_SOURCES,
    OPERATIONS,
)
