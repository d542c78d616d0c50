package insync.agent.isr;

import insync.agent.isr.Followers.KafkaFollower;
import insync.agent.isr.RequestChannelHooks.ChannelCarrier;
import insync.agent.isr.RequestHooks.RequestCarrier;
import insync.agent.kafka.KafkaClock;
import insync.core.Clock;
import insync.core.Insync;
import insync.core.isr.FetchBody;
import insync.core.isr.FollowerReplica;
import insync.core.isr.LeaderClock;
import insync.core.isr.RequestScope;
import insync.core.isr.Stats;
import insync.core.log.PendingReport;
import kafka.cluster.Partition;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.utils.Time;
import scala.Option;

/** Runs scope "request" of one broker, from the start of its SocketServer, or a config update, until the scope is off. */
public final class RequestPart {
    public final RequestScope scope;
    /** The channel in which the broker's requests wait for a handler. */
    public final ChannelCarrier channel;
    private final PendingReport report;
    private final Stats stats;

    /** Starts the scope in a broker; requests begin in it when it is turned on. */
    public RequestPart(KafkaConfig config, Time time, ChannelCarrier channel, Insync insync) {
        Clock clock = new KafkaClock(time);
        LeaderClock leaderClock = new LeaderClock(clock);
        this.channel = channel;
        this.stats = insync.stats;
        this.report = new PendingReport(insync, PendingReadsConfig.lagTimeMaxMs(config));
        this.scope = new RequestScope(clock, leaderClock, stats, report, new NamedPartitions());
        leaderClock.start(failed -> insync.failures.record("leader clock", failed));
        stats.leaderClock(leaderClock);
        report.start();
    }

    /** Lets requests that arrive from now on begin in the scope. */
    public void turnOn() {
        channel.insync$scope(scope);
    }

    /** Lets requests that arrive from now on begin in no scope. */
    public void turnOff() {
        scope.turnOff();
        channel.insync$scope(null);
    }

    /** Ends its threads, and the effect of its trackers. */
    public void stop() {
        scope.end();
        stats.leaderClockStops(scope.leaderClock);
        scope.leaderClock.stop();
        report.stop();
    }

    /** Finds a partition in the body of a fetch request; called only for followers that Kafka finds out of sync. */
    public static final class NamedPartitions implements FetchBody {
        private static final int ANY_EPOCH = -1;

        @Override
        public long offsetOf(Object request, FollowerReplica replica) {
            FetchRequest fetch = (FetchRequest) ((RequestCarrier) request).loggableRequest();
            Uuid id = topicId(((KafkaFollower) replica).kafka);
            for (FetchRequestData.FetchTopic topic : fetch.data().topics()) {
                boolean byId = id != null && topic.topicId().equals(id);
                if (byId || topic.topic().equals(replica.topic())) {
                    long offset = offsetOf(topic, replica);
                    if (offset != NOT_NAMED) {
                        return offset;
                    }
                }
            }
            return NOT_NAMED;
        }

        /** Returns null on a cluster that has none. */
        private static Uuid topicId(Partition partition) {
            Option<Uuid> id = partition.topicId();
            return id.isEmpty() ? null : id.get();
        }

        private static long offsetOf(FetchRequestData.FetchTopic topic, FollowerReplica replica) {
            for (FetchRequestData.FetchPartition one : topic.partitions()) {
                boolean thisEpoch = one.currentLeaderEpoch() == ANY_EPOCH
                    || one.currentLeaderEpoch() == replica.leaderEpoch();
                if (one.partition() == replica.partition() && thisEpoch) {
                    return one.fetchOffset();
                }
            }
            return NOT_NAMED;
        }
    }
}
