package insync.agent.isr;

import insync.agent.isr.RequestChannelHooks.ChannelCarrier;
import insync.agent.kafka.KafkaClock;
import insync.core.Clock;
import insync.core.Insync;
import insync.core.isr.LeaderClock;
import insync.core.isr.PendingReport;
import insync.core.isr.RequestScope;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.utils.Time;

/** Runs scope "request" of one broker, from the start of its SocketServer until that stops. */
public final class RequestPart {
    private final RequestScope scope;
    private final ChannelCarrier channel;
    private final LeaderClock clock;
    private final PendingReport report;

    private RequestPart(RequestScope scope, ChannelCarrier channel, LeaderClock clock, PendingReport report) {
        this.scope = scope;
        this.channel = channel;
        this.clock = clock;
        this.report = report;
    }

    /**
     * Starts the scope in a broker.
     *
     * @param channel the channel in which the broker's requests wait for a handler
     */
    public static RequestPart start(KafkaConfig config, Time time, ChannelCarrier channel, Insync insync) {
        Clock clock = new KafkaClock(time);
        LeaderClock leaderClock = new LeaderClock(clock);
        leaderClock.start();
        insync.stats().leaderClock(leaderClock);
        PendingReport report = new PendingReport(insync.events(), insync.stats(), PendingReadsConfig.lagTimeMaxMs(config));
        report.start();
        RequestScope scope = new RequestScope(clock, leaderClock, insync.stats(), report, new NamedPartitions());
        channel.insync$scope(scope);
        return new RequestPart(scope, channel, leaderClock, report);
    }

    /** Ends its threads. */
    public void stop() {
        clock.stop();
        report.stop();
    }

    public RequestScope scope() {
        return scope;
    }

    /** Returns the channel in which the broker's requests wait for a handler. */
    public ChannelCarrier channel() {
        return channel;
    }
}
