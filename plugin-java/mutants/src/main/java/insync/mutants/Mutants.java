package insync.mutants;

import insync.core.isr.ClockMutants;
import insync.core.isr.EpochMutants;
import insync.core.isr.MarkMutants;
import insync.core.stepdown.SuccessorMutants;
import insync.mutants.Instead.FirstArgument;
import insync.mutants.Instead.Nothing;
import insync.mutants.Instead.OneBelowAllArguments;
import insync.mutants.Instead.OneAboveSecondArgument;
import insync.mutants.Instead.True;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The mutants: for each, what it changes in the agent. */
final class Mutants {
    private static final Map<String, List<Change>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("never-released", List.of(
            new Change("isr.ReadScopeTracker", "complete", Nothing.class),
            new Change("isr.FetcherConnection", "sent", Nothing.class)));
        ALL.put("released-at-once", List.of(
            new Change("isr.FetchMarks", "marked", MarkMutants.CompleteAtOnce.class),
            new Change("isr.FetcherConnection", "arrived", MarkMutants.SentAtOnce.class)));
        // The second time is when the object of the mark, or the connection, has the follower's next fetch.
        ALL.put("released-twice", List.of(
            new Change("isr.ReadScopeTracker", "mark", MarkMutants.CompleteAgain.class),
            new Change("isr.FetcherConnection", "arrived", MarkMutants.SentAgain.class)));
        ALL.put("clock-from-arrival", List.of(
            new Change("isr.ReadScopeTracker", "complete", ClockMutants.CaughtUpAtArrival.class),
            new Change("isr.FetcherConnection", "arrived", ClockMutants.RunFromArrival.class),
            new Change("isr.FetcherConnection", "namedOffset", ClockMutants.NotNamed.class)));
        ALL.put("hold-over-leader-change", List.of(
            new Change("isr.FollowerTracker", "elected", Nothing.class),
            new Change("isr.FollowerTracker", "resigned", Nothing.class),
            new Change("isr.ReadScopeTracker", "standsInThisEpoch", MarkMutants.AnyEpoch.class)));
        ALL.put("hold-of-dead-connection", List.of(
            new Change("isr.FetchMarks", "abandon", Nothing.class),
            new Change("isr.FetcherConnection", "closed", Nothing.class)));
        ALL.put("step-down-without-limit", List.of(
            new Change("stepdown.LedPartitions$Entry", "isCooling", Nothing.class),
            new Change("stepdown.LedPartitions$Entry", "restNanos", Nothing.class),
            new Change("stepdown.StepDownRules$Budget", "take", True.class)));
        ALL.put("successor-outside-isr", List.of(
            new Change("stepdown.StepDownRules$SuccessorOrder", "order", SuccessorMutants.OutsideFirst.class),
            new Change("stepdown.controller.RelinquishRule", "asksToStepDown", SuccessorMutants.AnyMembers.class)));
        ALL.put("append-not-marked", List.of(
            new Change("stepdown.AppendMark", "begin", Nothing.class)));
        ALL.put("bound-above-end", List.of(
            new Change("logstart.LogStartRule", "bounded", OneAboveSecondArgument.class)));
        ALL.put("snapshot-too-late", List.of(
            new Change("logstart.LogStartRule", "ofAnswer", FirstArgument.class),
            new Change("logstart.LogStartRule", "watermarkOfAnswer", FirstArgument.class)));
        putSubtle();
    }

    /** Each breaks one comparison, one field or one element of many. */
    private static void putSubtle() {
        ALL.put("caught-up-one-fetch-late", List.of(
            new Change("isr.RequestScopeTracker", "read", ClockMutants.CaughtUpAtThisFetch.class)));
        ALL.put("mark-kept-for-one-partition", List.of(
            new Change("isr.FetchMarks", "complete", MarkMutants.AllButTheLast.class)));
        ALL.put("older-epoch-holds", List.of(
            new Change("isr.ReadScopeTracker", "standsInThisEpoch", MarkMutants.AnyEpoch.class),
            new Change("isr.FetcherConnection", "namedOffset", EpochMutants.AnyBrokerEpoch.class)));
        ALL.put("outsider-caught-up", List.of(
            new Change("isr.FollowerTracker", "elected", EpochMutants.AllInSync.class)));
        ALL.put("full-socket-forgiven", List.of(
            new Change("isr.FetcherConnection", "socketFull", ClockMutants.SocketNeverFull.class)));
        ALL.put("freeze-charged", List.of(
            new Change("isr.LeaderClock", "runNanos", FirstArgument.class)));
        ALL.put("session-never-forgets", List.of(
            new Change("isr.FetcherConnection", "arrived", ClockMutants.NoNewMembers.class)));
        ALL.put("update-drops-pending", List.of(
            new Change("isr.FollowerTracker", "notEnded", Nothing.class)));
        ALL.put("update-not-taken", List.of(
            new Change("stepdown.StepDownSettings", "become", Nothing.class)));
        ALL.put("step-down-forgotten", List.of(
            new Change("stepdown.controller.RecentStepDowns", "add", Nothing.class)));
        ALL.put("slow-peers-ignored", List.of(
            new Change("stepdown.Peers", "isSlow", Nothing.class),
            new Change("stepdown.Peers", "isSuspect", Nothing.class),
            new Change("stepdown.Peers", "tooManySlow", Nothing.class)));
        ALL.put("bound-below-watermark", List.of(
            new Change("logstart.LogStartRule", "bounded", OneBelowAllArguments.class)));
    }

    private Mutants() { }

    /** Returns the names of all mutants. */
    static Iterable<String> names() {
        return ALL.keySet();
    }

    /** Returns the changes of a mutant, or null if there is none of that name. */
    static List<Change> changesOf(String name) {
        return ALL.get(name);
    }
}
