package insync.agent.metrics;

import static insync.agent.metrics.AgentMetric.Kind.GAUGE;
import static insync.agent.metrics.AgentMetric.Kind.HISTOGRAM;
import static insync.agent.metrics.AgentMetric.Kind.METER;

import insync.core.isr.Hold;
import insync.core.stepdown.Outcome;
import insync.core.stepdown.Reason;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The one table of the plugin's metrics in Kafka's own registry; docs/operate/metrics.md is written from it. */
public enum AgentMetric {
    ENABLED(Type.AGENT, "Enabled", GAUGE, "1 while pending fetches keep followers in the ISR, else 0"),
    SCOPE(Type.AGENT, "Scope", GAUGE, "`read` or `request`; `off` while no fetch is tracked (text)"),
    STEP_DOWN_ENABLED(Type.AGENT, "StepDownEnabled", GAUGE, "1 while this broker may step down, else 0"),
    VERSION(Type.AGENT, "Version", GAUGE, "the agent's version (text)"),
    ADAPTER(Type.AGENT, "Adapter", GAUGE, "the adapter that is woven into this version of Kafka (text)"),
    DISABLED(Type.AGENT, "Disabled", GAUGE, "1 after the kill switch was used, else 0"),
    ERRORS(Type.AGENT, "Errors", GAUGE, "exceptions in the agent's own code; they never reach the broker"),
    EVENTS_DROPPED(Type.AGENT, "EventsDropped", GAUGE, "lines that are missing from the events file"),
    EVENTS_PUBLISHED(Type.AGENT, "EventsPublished", GAUGE, "lines that were written to the events topic"),
    EVENTS_NOT_PUBLISHED(Type.AGENT, "EventsNotPublished", GAUGE, "lines that were lost on the way to the events topic"),
    LOG_LINES_DROPPED(Type.AGENT, "LogLinesDropped", GAUGE, "lines that the broker's log did not take in time"),

    HOLDS(Type.PENDING_READS, "HoldsGrantedPerSec", METER,
        "holds that began: a follower stays in the ISR because of its pending fetch and nothing else"),
    HOLDS_AT(Type.PENDING_READS, "HoldsGrantedPerSec", METER, Tag.SITE, "the same by where the leader was with the fetch"),
    HELD(Type.PENDING_READS, "HeldFollowers", GAUGE, "followers that are held now"),
    HOLD_TIME(Type.PENDING_READS, "HoldTimeMs", HISTOGRAM, "how long holds lasted, ms"),
    MARKS(Type.PENDING_READS, "MarksPerSec", METER,
        "marks that were made: one per partition of a fetch (scope `read`), one per fetch (scope `request`)"),
    MARKS_OUTLIVED(Type.PENDING_READS, "MarksOutlivedPerSec", METER,
        "marks that became too old to keep their follower in the ISR (scope `read`)"),
    PENDING(Type.PENDING_READS, "PendingMarks", GAUGE, "marks now"),
    LONGEST_PENDING(Type.PENDING_READS, "LongestPendingMs", GAUGE, "the longest time from a mark to the end of its fetch, ms"),
    LEADER_PAUSED(Type.PENDING_READS, "LeaderPausedMs", GAUGE, "how long the broker's process did not run, ms; scope `request`"),

    STEP_DOWNS(Type.STEP_DOWN, "StepDownsPerSec", METER, Tag.REASON, "step-downs that this broker requested"),
    STEP_DOWNS_SUPPRESSED(Type.STEP_DOWN, "StepDownsSuppressedPerSec", METER, Tag.SUPPRESSED,
        "step-downs that a rule prevented, once per rule and partition while its fetches are slow"),
    STEP_DOWNS_ENDED(Type.STEP_DOWN, "StepDownsEndedPerSec", METER, Tag.OUTCOME, "how requested step-downs ended"),
    STEP_DOWN_TIME(Type.STEP_DOWN, "StepDownTimeMs", HISTOGRAM, "from the decision to the controller's answer, ms"),
    CONNECTIONS_CLOSED(Type.STEP_DOWN, "ConnectionsClosedPerSec", METER, "clients' connections that the old leader closed"),
    ASKS_TO_BE_FENCED(Type.STEP_DOWN, "AsksToBeFenced", GAUGE, "1 while this broker asks its controller to fence it, else 0"),
    FENCED(Type.STEP_DOWN, "FencedPerSec", METER, "how often its controller did that"),
    SLOW(Type.STEP_DOWN, "Slow", GAUGE, "1 while this broker is slow, and for a tenth of the cool-down after that"),
    SLOW_PEERS(Type.STEP_DOWN, "SlowPeers", GAUGE, "live peers that look slow"),

    FOLLOWER_STARTS(Type.LOG_START, "FollowerStartsBounded", GAUGE,
        "KAFKA-7104: log start offsets that this follower bounded"),
    LEADER_ANSWERS(Type.LOG_START, "LeaderAnswersBounded", GAUGE, "KAFKA-7104: responses that this leader bounded"),

    CONTROLLER_STEP_DOWNS(Type.CONTROLLER, "StepDownsPerSec", METER, Tag.TOLD,
        "step-downs of leaders that this controller carried out");

    /** The reason of a step-down whose leader has an agent that does not tell it. */
    static final String NOT_TOLD = "not_told";

    private final Type type;
    private final String metric;
    private final Kind kind;
    private final Tag tag;
    private final String says;

    AgentMetric(Type type, String metric, Kind kind, String says) {
        this(type, metric, kind, Tag.NONE, says);
    }

    AgentMetric(Type type, String metric, Kind kind, Tag tag, String says) {
        this.type = type;
        this.metric = metric;
        this.kind = kind;
        this.tag = tag;
        this.says = says;
    }

    Type type() {
        return type;
    }

    Kind kind() {
        return kind;
    }

    Tag tag() {
        return tag;
    }

    String metric() {
        return metric;
    }

    /** Returns what the metric says. */
    String says() {
        return says;
    }

    /** Returns the metrics of a type. */
    static List<AgentMetric> of(Type type) {
        return Arrays.stream(values()).filter(each -> each.type == type).collect(Collectors.toList());
    }

    /** What a metric is in Kafka's registry. */
    enum Kind {
        GAUGE, METER, HISTOGRAM;

        /** Returns the kind's name in the documents. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The types of metrics, as in their names. Each is there only where its feature is supported. */
    enum Type {
        AGENT("kafka.server", "InsyncAgent"),
        PENDING_READS("kafka.server", "PendingReads"),
        STEP_DOWN("kafka.server", "StepDown"),
        LOG_START("kafka.server", "LogStartOffset"),
        CONTROLLER("kafka.controller", "StepDown");

        private final String group;
        private final String type;

        Type(String group, String type) {
            this.group = group;
            this.type = type;
        }

        String group() {
            return group;
        }

        String type() {
            return type;
        }
    }

    /** The tag by which a metric is divided. */
    enum Tag {
        NONE("", Stream.empty()),
        SITE("site", Arrays.stream(Hold.Site.values()).map(Hold.Site::word)),
        REASON("reason", Arrays.stream(Reason.values()).filter(Reason::acts).map(Reason::word)),
        /** While an answer is awaited nothing is counted. */
        SUPPRESSED("reason", Arrays.stream(Reason.values())
            .filter(each -> !each.acts() && each != Reason.AWAITING_ANSWER).map(Reason::word)),
        OUTCOME("outcome", Arrays.stream(Outcome.values()).map(Outcome::word)),
        /** An agent of an older version does not tell the controller its reason. */
        TOLD("reason", Stream.concat(Arrays.stream(Reason.values()).filter(Reason::acts).map(Reason::word),
            Stream.of(NOT_TOLD)));

        private final String key;
        private final List<String> words;

        Tag(String key, Stream<String> words) {
            this.key = key;
            this.words = words.collect(Collectors.toList());
        }

        String key() {
            return key;
        }

        /** Returns all values, in the order of the table. */
        List<String> words() {
            return words;
        }
    }
}
