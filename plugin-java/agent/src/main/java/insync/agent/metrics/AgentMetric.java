package insync.agent.metrics;

import com.yammer.metrics.core.MetricName;
import insync.agent.Features;
import insync.agent.broker.Brokers;
import insync.core.Insync;
import insync.core.isr.Hold;
import insync.core.stepdown.Outcome;
import insync.core.stepdown.Reason;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongBiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The one table of the plugin's metrics in Kafka's own registry; docs/operate/metrics.md is written from it. */
public enum AgentMetric {
    ENABLED(Type.AGENT, "Enabled", "1 while pending fetches keep followers in the ISR, else 0",
        of -> Brokers.anyKeepsInSync() ? 1 : 0),
    SCOPE(Type.AGENT, "Scope", "`read` or `request`; `off` while no fetch is tracked (text)", of -> Brokers.scope()),
    STEP_DOWN_ENABLED(Type.AGENT, "StepDownEnabled", "1 while this broker may step down, else 0", of -> Brokers.anyStepDown() ? 1 : 0),
    VERSION(Type.AGENT, "Version", "the agent's version (text)", of -> Features.current().agentVersion()),
    ADAPTER(Type.AGENT, "Adapter", "the adapter that is woven into this version of Kafka (text)", of -> Features.current().adapter),
    DISABLED(Type.AGENT, "Disabled", "1 after the kill switch was used, else 0", of -> Insync.isDisabled() ? 1 : 0),
    ERRORS(Type.AGENT, "Errors", "exceptions in the agent's own code; they never reach the broker", of -> of.failures.count()),
    EVENTS_DROPPED(Type.AGENT, "EventsDropped", "lines that are missing from the events file", of -> of.events.dropped()),
    EVENTS_PUBLISHED(Type.AGENT, "EventsPublished", "lines that were written to the events topic",
        of -> of.events.published().written()),
    EVENTS_NOT_PUBLISHED(Type.AGENT, "EventsNotPublished", "lines that were lost on the way to the events topic",
        of -> of.events.published().dropped()),
    LOG_LINES_DROPPED(Type.AGENT, "LogLinesDropped", "lines that the broker's log did not take in time", of -> of.log.dropped()),
    HOLDS(Type.PENDING_READS, "HoldsGrantedPerSec", Tag.NONE,
        "holds that began: a follower stays in the ISR because of its pending fetch and nothing else",
        (of, all) -> of.stats.holdsGranted()),
    HOLDS_AT(Type.PENDING_READS, "HoldsGrantedPerSec", Tag.SITE, "the same by where the leader was with the fetch",
        (of, site) -> of.stats.holdsGranted(Hold.Site.valueOf(site))),
    HELD(Type.PENDING_READS, "HeldFollowers", "followers that are held now", of -> of.stats.heldNow()),
    HOLD_TIME(Type.PENDING_READS, "HoldTimeMs", "how long holds lasted, ms", null),
    MARKS_OUTLIVED(Type.PENDING_READS, "MarksOutlivedPerSec", Tag.NONE,
        "marks that became too old to keep their follower in the ISR (scope `read`)", (of, all) -> of.stats.outlived.sum()),
    PENDING(Type.PENDING_READS, "PendingMarks",
        "marks now: one per partition of a fetch (scope `read`), one per fetch (scope `request`)", of -> of.stats.pendingNow()),
    LEADER_PAUSED(Type.PENDING_READS, "LeaderPausedMs", "how long the broker's process did not run, ms; scope `request`",
        of -> of.stats.leaderPausedMs()),
    STEP_DOWNS(Type.STEP_DOWN, "StepDownsPerSec", Tag.REASON, "step-downs that this broker requested",
        (of, reason) -> of.stepDowns.count(Reason.valueOf(reason))),
    STEP_DOWNS_SUPPRESSED(Type.STEP_DOWN, "StepDownsSuppressedPerSec", Tag.SUPPRESSED,
        "step-downs that a rule prevented, once per rule and partition while its fetches are slow",
        (of, reason) -> of.stepDowns.count(Reason.valueOf(reason))),
    STEP_DOWNS_ENDED(Type.STEP_DOWN, "StepDownsEndedPerSec", Tag.OUTCOME, "how requested step-downs ended",
        (of, outcome) -> of.stepDowns.count(Outcome.valueOf(outcome))),
    CONNECTIONS_CLOSED(Type.STEP_DOWN, "ConnectionsClosedPerSec", Tag.NONE, "clients' connections that the old leader closed",
        (of, all) -> of.stepDowns.connectionsClosed.sum()),
    ASKS_TO_BE_FENCED(Type.STEP_DOWN, "AsksToBeFenced", "1 while this broker asks its controller to fence it, else 0",
        of -> of.stepDowns.asksToBeFenced ? 1 : 0),
    FENCED(Type.STEP_DOWN, "FencedPerSec", Tag.NONE, "how often its controller did that", (of, all) -> of.stepDowns.fenced.sum()),
    SLOW(Type.STEP_DOWN, "Slow", "1 while this broker is slow, and for a tenth of the cool-down after that",
        of -> of.stepDowns.slow ? 1 : 0),
    SLOW_PEERS(Type.STEP_DOWN, "SlowPeers", "live peers that look slow", of -> of.stepDowns.slowPeers),
    FOLLOWER_STARTS(Type.LOG_START, "FollowerStartsBounded", "KAFKA-7104: log start offsets that this follower bounded",
        of -> of.logStarts.bounded.sum()),
    LEADER_ANSWERS(Type.LOG_START, "LeaderAnswersBounded", "KAFKA-7104: responses that this leader bounded",
        of -> of.logStarts.snapshots.sum()),
    CONTROLLER_STEP_DOWNS(Type.CONTROLLER, "StepDownsPerSec", Tag.TOLD, "step-downs of leaders that this controller carried out",
        null);

    /** The reason of a step-down whose leader has an agent that does not tell it. */
    static final String NOT_TOLD = "not_told";

    final Type type;
    final String metric;
    final Tag tag;
    final String says;
    /** What a gauge shows; null for a meter, and for the histogram. */
    final Function<Insync, Object> value;
    /** What a meter follows, for a value of its tag in capitals; null for other metrics, and for what is counted where it happens. */
    final ToLongBiFunction<Insync, String> count;

    AgentMetric(Type type, String metric, String says, Function<Insync, Object> value) {
        this.type = type;
        this.metric = metric;
        this.tag = Tag.NONE;
        this.says = says;
        this.value = value;
        this.count = null;
    }

    AgentMetric(Type type, String metric, Tag tag, String says, ToLongBiFunction<Insync, String> count) {
        this.type = type;
        this.metric = metric;
        this.tag = tag;
        this.says = says;
        this.value = null;
        this.count = count;
    }

    /** Returns its name as Kafka makes names, GROUP:type=TYPE,name=NAME,TAG=VALUE, without a tag for the value "". */
    MetricName name(String tagValue) {
        String with = tagValue.isEmpty() ? "" : "," + tag.key + "=" + tagValue;
        return new MetricName(type.group, type.type, metric, tagValue.isEmpty() ? null : tag.key + "." + tagValue,
            type.group + ":type=" + type.type + ",name=" + metric + with);
    }

    /** The types of metrics, as in their names. Each is there only where its feature is supported. */
    enum Type {
        AGENT("kafka.server", "InsyncAgent", features -> true),
        PENDING_READS("kafka.server", "PendingReads", features -> !features.scopes().isEmpty()),
        STEP_DOWN("kafka.server", "StepDown", Features::supportsStepDown),
        LOG_START("kafka.server", "LogStartOffset", Features::supportsLogStart),
        CONTROLLER("kafka.controller", "StepDown", features -> false);

        final String group;
        final String type;
        final Predicate<Features> isInBroker;

        Type(String group, String type, Predicate<Features> isInBroker) {
            this.group = group;
            this.type = type;
            this.isInBroker = isInBroker;
        }
    }

    enum Tag {
        NONE("", Stream.of("")),
        SITE("site", Arrays.stream(Hold.Site.values())),
        REASON("reason", Arrays.stream(Reason.values()).filter(Reason::acts)),
        /** While an answer is awaited nothing is counted. */
        SUPPRESSED("reason", Arrays.stream(Reason.values()).filter(each -> !each.acts() && each != Reason.AWAITING_ANSWER)),
        OUTCOME("outcome", Arrays.stream(Outcome.values())),
        /** An agent of an older version does not tell the controller its reason. */
        TOLD("reason", Stream.concat(Arrays.stream(Reason.values()).filter(Reason::acts), Stream.of(NOT_TOLD)));

        final String key;
        /** All values, in the order of the table. */
        final List<String> words;

        Tag(String key, Stream<?> words) {
            this.key = key;
            this.words = words.map(word -> word.toString().toLowerCase(Locale.ROOT)).collect(Collectors.toList());
        }
    }
}
