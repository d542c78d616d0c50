package insync.agent.isr;

import insync.agent.broker.Drained;
import insync.agent.isr.RequestChannelHooks.ChannelCarrier;
import insync.agent.kafka.KafkaClock;
import insync.core.Clock;
import insync.core.Insync;
import insync.core.Millis;
import insync.core.isr.LeaderClock;
import insync.core.isr.RequestScope;
import insync.core.isr.Stats;
import insync.core.log.PendingReport;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.utils.Time;

/** Runs scope "request" of one broker, from the start of its SocketServer, or a config update, until the scope is off. */
public final class RequestPart implements Drained {
    private final RequestScope scope;
    private final ChannelCarrier channel;
    private final LeaderClock clock;
    private final PendingReport report;
    private final Stats stats;
    private final long lagTimeMaxMs;

    private RequestPart(RequestScope scope, ChannelCarrier channel, LeaderClock clock, PendingReport report, Stats stats,
                        long lagTimeMaxMs) {
        this.scope = scope;
        this.channel = channel;
        this.clock = clock;
        this.report = report;
        this.stats = stats;
        this.lagTimeMaxMs = lagTimeMaxMs;
    }

    /**
     * Starts the scope in a broker; requests begin in it when it is turned on.
     *
     * @param channel the channel in which the broker's requests wait for a handler
     */
    public static RequestPart start(KafkaConfig config, Time time, ChannelCarrier channel, Insync insync) {
        Clock clock = new KafkaClock(time);
        LeaderClock leaderClock = new LeaderClock(clock);
        leaderClock.start(failed -> insync.failures().record("leader clock", failed));
        insync.stats().leaderClock(leaderClock);
        long lagTimeMaxMs = PendingReadsConfig.lagTimeMaxMs(config);
        PendingReport report = new PendingReport(insync, lagTimeMaxMs);
        report.start();
        RequestScope scope = new RequestScope(clock, leaderClock, insync.stats(), report, new NamedPartitions());
        return new RequestPart(scope, channel, leaderClock, report, insync.stats(), lagTimeMaxMs);
    }

    /** Lets requests that arrive from now on begin in the scope. */
    public void turnOn() {
        channel.insync$scope(scope);
    }

    /** Lets requests that arrive from now on begin in no scope, if no other has taken its place. */
    public void turnOff() {
        scope.turnOff();
        channel.insync$scope(null);
    }

    /** Ends its threads, and the effect of its trackers. */
    @Override
    public void stop() {
        scope.end();
        stats.leaderClockStops(clock);
        clock.stop();
        report.stop();
    }

    /** Returns whether the leader processes a fetch that began in this scope. */
    @Override
    public boolean isBusy() {
        return !scope.isIdle();
    }

    /** Returns how long a follower may take to be caught up by Kafka's own rule after its pending fetch. */
    @Override
    public long drainMs() {
        return 2 * Math.min(lagTimeMaxMs, Millis.MOST);
    }

    public RequestScope scope() {
        return scope;
    }

    /** Returns the channel in which the broker's requests wait for a handler. */
    public ChannelCarrier channel() {
        return channel;
    }
}
