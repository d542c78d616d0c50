package insync.agent.stepdown.broker;

import insync.agent.broker.StepDown.HeartbeatSender;
import insync.agent.isr.PartitionState;
import insync.agent.isr.RequestPart;
import insync.core.Clock;
import insync.core.Insync;
import insync.core.events.EventLog;
import insync.core.isr.FollowerTracker;
import insync.core.log.BrokerLog.Level;
import insync.core.log.BrokerLog.Name;
import insync.core.stepdown.Fencing;
import insync.core.stepdown.Outcome;
import insync.core.stepdown.PendingAppend;
import insync.core.stepdown.StepDownRequest;
import insync.core.stepdown.StepDownSettings;
import insync.core.stepdown.StepDownSettings.Via;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import kafka.cluster.Partition;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;

/**
 * Asks the controller to fence this broker, by its heartbeats, while it hangs. Called by the watch's thread, except for {@link #ask};
 * takes none of Kafka's locks except those inside collections.
 */
final class SelfFencing {
    private final int self;
    private final int logDirs;
    private final ReplicaManager replicas;
    private final StepDownAccess access;
    private final StepDownSettings settings;
    private final Supplier<RequestPart> requests;
    private final Supplier<HeartbeatSender> heartbeats;
    private final Clock clock;
    private final Insync insync;
    final Fencing rule;
    private final Queue<StepDownRequest<LedPartition>> asking = new ConcurrentLinkedQueue<>();
    private String withheld;

    SelfFencing(ReplicaManager replicas, KafkaConfig config, StepDownAccess access, StepDownSettings settings,
                Supplier<RequestPart> requests, Supplier<HeartbeatSender> heartbeats, Clock clock, Insync insync) {
        this.self = config.brokerId();
        this.logDirs = logDirs(config);
        this.replicas = replicas;
        this.access = access;
        this.settings = settings;
        this.requests = requests;
        this.heartbeats = heartbeats;
        this.clock = clock;
        this.insync = insync;
        this.rule = new Fencing(settings);
    }

    /** Reads the configs by name, because the type of KafkaConfig's getter differs between versions. */
    private static int logDirs(KafkaConfig config) {
        Object dirs = config.originals().getOrDefault("log.dirs", config.originals().get("log.dir"));
        return dirs == null ? 1 : dirs.toString().split(",").length;
    }

    /** Requests the fencing, instead of another way to give a partition away; called by any thread. */
    void ask(StepDownRequest<LedPartition> one) {
        asking.add(one);
    }

    /**
     * Begins and ends the wish.
     *
     * @param led the partitions that this broker has not become a follower of
     * @param appends those that have not ended
     * @param followsTooSlowly whether an append to a partition that it follows hangs
     */
    void tick(Collection<LedPartition> led, List<PendingAppend> appends, boolean followsTooSlowly) {
        long now = clock.nanos();
        List<StepDownRequest<LedPartition>> asked = new ArrayList<>();
        for (StepDownRequest<LedPartition> one = asking.poll(); one != null; one = asking.poll()) {
            asked.add(one);
        }
        String why = !asked.isEmpty() ? "what it leads is too slow"
            : followsTooSlowly ? "an append to a partition that it follows hangs"
            : isDeaf(led, now) ? "it has not applied for 4 T that others lead what it gave away" : null;
        if (!asked.isEmpty() || why != null && !rule.isWanted()) {
            try {
                begin(why, asked, led, appends, now);
            } catch (RuntimeException | Error failed) {
                asked.forEach(one -> one.settle(Outcome.FAILED, failed.toString()));
                Insync.failed(failed);
            }
        }
        if (rule.isWanted() && rule.tick(now, hangs(led, appends, now), isApplied(led))) {
            say(Level.INFO, EventLog.fields("state", "ended", "asked_ms", rule.ageMs(now)),
                "This broker no longer asks its controller to fence it");
        }
        insync.stepDowns.asksToBeFenced = rule.isWanted();
    }

    /** Ends the wish, because the step-down is turned off. */
    void stop() {
        insync.stepDowns.asksToBeFenced = false;
        if (rule.end(clock.nanos())) {
            heartbeat();
        }
    }

    private boolean isDeaf(Collection<LedPartition> led, long now) {
        long longest = led.stream().mapToLong(each -> each.unappliedNanos(now)).max().orElse(0);
        return settings.via() != Via.ALTER_PARTITION && rule.isDeaf(longest);
    }

    private void begin(String why, List<StepDownRequest<LedPartition>> asked, Collection<LedPartition> led,
                       List<PendingAppend> appends, long now) {
        String against = rule.isWanted() ? null : against(asked, led, appends, now);
        if (against != null) {
            asked.forEach(one -> one.settle(Outcome.REFUSED, "not fenced: " + against));
            if (!against.equals(withheld)) {
                emit(Level.WARN, EventLog.fields("state", "withheld", "why", why, "against", against),
                    "This broker does not ask its controller to fence it, although " + why + ": " + against);
            }
            withheld = against;
        } else if (rule.ask(now)) {
            withheld = null;
            say(Level.WARN, EventLog.fields("state", "asked", "why", why),
                "This broker asks its controller to fence it, because " + why);
        }
    }

    private String against(List<StepDownRequest<LedPartition>> asked, Collection<LedPartition> led, List<PendingAppend> appends,
                           long now) {
        Set<Object> hanging = new HashSet<>();
        Set<Integer> slowFetchers = new HashSet<>();
        asked.forEach(one -> hanging.add(one.led.kafka));
        for (LedPartition each : led) {
            if (isOverdue(each, now)) {
                hanging.add(each.kafka);
            }
        }
        for (PendingAppend each : appends) {
            Partition partition = (Partition) each.partition;
            if (isLong(each, now)) {
                hanging.add(partition);
                // The thread that fetches from this leader hangs, and with it all that it fetches.
                slowFetchers.add(access.led(replicas, partition.topicPartition()).leader);
            }
        }
        List<Fencing.Member> members = new ArrayList<>();
        Set<Integer> peers = new HashSet<>();
        PartitionState.online(replicas).forEach(each -> {
            peers.addAll(access.replicas(each));
            add(members, each, hanging, slowFetchers);
        });
        peers.remove(self);
        int live = (int) IntStream.of(access.livePeers(replicas)).filter(peers::contains).count();
        return rule.against(members, peers.size(), live, logDirs);
    }

    private void add(List<Fencing.Member> members, Partition partition, Set<Object> hanging, Set<Integer> slowFetchers) {
        TopicPartition id = partition.topicPartition();
        Collection<Integer> isr = partition.isLeader() ? PartitionState.isr(partition) : access.led(replicas, id).isr;
        if (!isr.contains(self)) {
            return;
        }
        boolean hangs = hanging.contains(partition) || slowFetchers.contains(access.led(replicas, id).leader) && !partition.isLeader();
        try {
            int assigned = access.replicas(partition).size();
            members.add(new Fencing.Member(id.toString(), isr.size(), assigned, access.minIsr(partition), hangs));
        } catch (NotLeaderOrFollowerException noLog) {
            // A broker knows a new partition before it has its log; its ISR does not wait for it yet.
            return;
        }
    }

    private boolean isApplied(Collection<LedPartition> led) {
        return led.stream().noneMatch(each -> each.isLed()
            && access.isLedElsewhere(replicas, each.kafka.topicPartition(), each.leaderEpoch()));
    }

    private boolean isLong(PendingAppend append, long now) {
        return now - append.sinceNanos > settings.processTimeMaxNanos() / 2;
    }

    private boolean isOverdue(LedPartition one, long now) {
        return one.overdueSince(now - settings.processTimeMaxNanos() / 2) != FollowerTracker.NOT_PENDING;
    }

    private boolean hangs(Collection<LedPartition> led, List<PendingAppend> appends, long now) {
        RequestPart part = requests.get();
        return appends.stream().anyMatch(each -> isLong(each, now)) || led.stream().anyMatch(each -> isOverdue(each, now))
            || part != null && part.scope.longestCallNanos() > settings.processTimeMaxNanos() / 2;
    }

    private void say(Level level, Map<String, Object> event, String line) {
        heartbeat();
        emit(level, event, line);
    }

    private void emit(Level level, Map<String, Object> event, String line) {
        insync.events.emit("fencing", event);
        insync.log.offer(Name.STEP_DOWN, level, () -> line);
    }

    private void heartbeat() {
        HeartbeatSender sender = heartbeats.get();
        if (sender != null) {
            sender.setReadyToUnfence();
        }
    }
}
