package insync.agent.stepdown.broker;

import insync.agent.isr.RequestChannelHooks.ChannelCarrier;
import insync.agent.isr.RequestHooks.RequestCarrier;
import insync.agent.isr.RequestPart;
import insync.agent.stepdown.broker.ProcessorHooks.ProcessorCarrier;
import insync.core.Clock;
import insync.core.Insync;
import insync.core.events.EventLog;
import insync.core.isr.NetworkThread;
import insync.core.isr.RequestScope;
import insync.core.stepdown.DisconnectRule;
import insync.core.stepdown.PendingAppend;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import kafka.cluster.Partition;

/**
 * Disconnects clients that an old leader cannot answer, because one of its network threads or all of its handlers are
 * blocked, or because their append hangs; and all of them if its metadata would send them back to it. The clients' own
 * timeouts would do the same later. Works only in scope "request", which detects blocked threads. Called by the watch's
 * thread; takes no locks except those inside collections.
 */
final class UnservedClients {
    private final Supplier<RequestPart> requests;
    private final DisconnectRule rule;
    private final Clock clock;
    private final Insync insync;

    UnservedClients(Supplier<RequestPart> requests, DisconnectRule rule, Clock clock, Insync insync) {
        this.requests = requests;
        this.rule = rule;
        this.clock = clock;
        this.insync = insync;
    }

    /** Notes that this broker's metadata shows the new leader of a partition that it gave away. */
    void given() {
        rule.given(clock.nanos());
    }

    /**
     * Ends the connections of clients that cannot be answered.
     *
     * @param misleads whether this broker's metadata names it as the leader of what others lead
     * @return whether to check again soon
     */
    boolean free(boolean misleads) {
        if (rule.isArmed() && !rule.isDue(clock.nanos())) {
            return true;
        }
        RequestPart part = rule.isArmed() ? requests.get() : null;
        if (part == null) {
            return false;
        }
        RequestScope scope = part.scope;
        ChannelCarrier channel = part.channel;
        boolean threadsHang = ofThreads(scope, channel);
        boolean handlersHang = ofHandlers(scope, channel);
        boolean appendsHang = ofAppends(scope, channel);
        if (misleads) {
            ofAll(scope, channel);
        }
        if (!threadsHang && !handlersHang && !appendsHang && !misleads) {
            rule.ended();
        }
        return threadsHang || handlersHang || appendsHang || misleads;
    }

    /** Disconnects all clients. One asks the broker to which it is connected who leads, again and again. */
    private void ofAll(RequestScope scope, ChannelCarrier channel) {
        for (Object each : channel.insync$processors().values()) {
            ConnectionCloser end = new ConnectionCloser(scope, (ProcessorCarrier) each);
            end.ofAll();
            emitClosed(end, "metadata", 0);
        }
    }

    /** Disconnects the clients of a blocked network thread. */
    private boolean ofThreads(RequestScope scope, ChannelCarrier channel) {
        boolean hangs = false;
        for (Object each : channel.insync$processors().values()) {
            ProcessorCarrier processor = (ProcessorCarrier) each;
            NetworkThread thread = scope.networkThread((Thread) processor.insync$thread());
            long now = clock.nanos();
            long hungNanos = thread == null ? 0 : thread.inCallNanos();
            if (hungNanos > 0 && rule.hangs(now - hungNanos, now)) {
                hangs = true;
                ConnectionCloser end = new ConnectionCloser(scope, processor);
                end.ofAll();
                emitClosed(end, "network_thread", hungNanos);
            }
        }
        return hangs;
    }

    /**
     * Disconnects clients whose request waits in the queue for longer than T, if a request has been waiting there since
     * before a step-down.
     */
    private boolean ofHandlers(RequestScope scope, ChannelCarrier channel) {
        long now = clock.nanos();
        long oldest = now;
        Map<Integer, Set<String>> waiting = new HashMap<>();
        for (Object each : channel.insync$queue().toArray()) {
            if (each instanceof RequestCarrier) {
                RequestCarrier request = (RequestCarrier) each;
                oldest = Math.min(oldest, request.startTimeNanos());
                if (request.insync$fetcher() == null && rule.isTooLong(request.startTimeNanos(), now)) {
                    waiting.computeIfAbsent(request.processor(), id -> new HashSet<>())
                        .add(request.context().connectionId);
                }
            }
        }
        if (!rule.hangs(oldest, now)) {
            return false;
        }
        close(waiting, "request_queue", now - oldest, scope, channel);
        return true;
    }

    /** Disconnects clients whose request hangs in an append to a partition that another broker leads. */
    private boolean ofAppends(RequestScope scope, ChannelCarrier channel) {
        long now = clock.nanos();
        long oldest = now;
        Map<Integer, Set<String>> waiting = new HashMap<>();
        for (PendingAppend each : AppendHooks.pending()) {
            if (rule.hangsAfterwards(each.sinceNanos, now) && LeadershipHooks.isOver((Partition) each.partition)) {
                oldest = Math.min(oldest, each.sinceNanos);
                if (each.request instanceof RequestCarrier) {
                    RequestCarrier request = (RequestCarrier) each.request;
                    waiting.computeIfAbsent(request.processor(), id -> new HashSet<>())
                        .add(request.context().connectionId);
                }
            }
        }
        close(waiting, "append", now - oldest, scope, channel);
        return oldest != now;
    }

    /** @param waiting the ids of connections, by the id of their network thread's Processor */
    private void close(Map<Integer, Set<String>> waiting, String site, long hungNanos, RequestScope scope,
                       ChannelCarrier channel) {
        waiting.forEach((id, connections) -> {
            Object processor = channel.insync$processors().get(id);
            if (processor != null) {
                ConnectionCloser end = new ConnectionCloser(scope, (ProcessorCarrier) processor);
                end.of(connections);
                emitClosed(end, site, hungNanos);
            }
        });
    }

    private void emitClosed(ConnectionCloser end, String site, long hungNanos) {
        if (end.count() > 0) {
            insync.stepDowns().closedConnections(end.count());
            insync.events().emit("connections_closed", EventLog.fields("site", site, "processor", end.processor(),
                "hung_ms", hungNanos / 1_000_000L, "connections", end.count(), "ids", end.ids()));
        }
    }
}
