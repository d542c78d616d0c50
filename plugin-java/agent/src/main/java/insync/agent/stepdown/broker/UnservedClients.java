package insync.agent.stepdown.broker;

import insync.agent.isr.RequestHooks.RequestCarrier;
import insync.agent.isr.RequestPart;
import insync.agent.stepdown.broker.ProcessorHooks.ProcessorCarrier;
import insync.core.Clock;
import insync.core.Insync;
import insync.core.events.EventLog;
import insync.core.isr.NetworkThread;
import insync.core.stepdown.DisconnectRule;
import insync.core.stepdown.PendingAppend;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import kafka.cluster.Partition;

/**
 * Disconnects clients that an old leader cannot answer, because one of its network threads or all of its handlers are
 * blocked, or because their append hangs; and all of them if its metadata would send them back to it. The clients' own
 * timeouts would do the same later. Works only in scope "request", which detects blocked threads. Called by the watch's
 * thread; takes no locks except those inside collections.
 */
final class UnservedClients {
    private final int self;
    private final Supplier<RequestPart> requests;
    private final DisconnectRule rule;
    private final Clock clock;
    private final Insync insync;

    UnservedClients(int self, Supplier<RequestPart> requests, DisconnectRule rule, Clock clock, Insync insync) {
        this.self = self;
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
        boolean hangs = ofThreads(part) | ofHandlers(part) | ofAppends(part) | misleads;
        if (misleads) {
            // A client asks the broker to which it is connected who leads, again and again.
            part.channel.insync$processors().values().forEach(each -> close(each, ConnectionCloser::ofAll, "metadata", 0, part));
        }
        if (!hangs) {
            rule.ended();
        }
        return hangs;
    }

    /** Disconnects the clients of a blocked network thread. */
    private boolean ofThreads(RequestPart part) {
        boolean hangs = false;
        for (Object each : part.channel.insync$processors().values()) {
            NetworkThread thread = part.scope.networkThread((Thread) ((ProcessorCarrier) each).insync$thread());
            long now = clock.nanos();
            long hungNanos = thread == null ? 0 : thread.inCallNanos();
            if (hungNanos > 0 && rule.hangs(now - hungNanos, now)) {
                hangs = true;
                close(each, ConnectionCloser::ofAll, "network_thread", hungNanos, part);
            }
        }
        return hangs;
    }

    /**
     * Disconnects clients whose request waits in the queue for longer than T, if a request has been waiting there since
     * before a step-down.
     */
    private boolean ofHandlers(RequestPart part) {
        long now = clock.nanos();
        long oldest = now;
        Set<String> waiting = new HashSet<>();
        for (Object each : part.channel.insync$queue().toArray()) {
            if (each instanceof RequestCarrier) {
                RequestCarrier request = (RequestCarrier) each;
                oldest = Math.min(oldest, request.startTimeNanos());
                if (request.insync$fetcher() == null && rule.isTooLong(request.startTimeNanos(), now)) {
                    waiting.add(request.context().connectionId);
                }
            }
        }
        if (!rule.hangs(oldest, now)) {
            return false;
        }
        close(waiting, "request_queue", now - oldest, part);
        return true;
    }

    /** Disconnects clients whose request hangs in an append to a partition that another broker leads. */
    private boolean ofAppends(RequestPart part) {
        long now = clock.nanos();
        long oldest = now;
        Set<String> waiting = new HashSet<>();
        for (PendingAppend each : AppendHooks.pending(self)) {
            if (rule.hangsAfterwards(each.sinceNanos, now) && LeadershipHooks.isOver((Partition) each.partition)) {
                oldest = Math.min(oldest, each.sinceNanos);
                if (each.request instanceof RequestCarrier) {
                    waiting.add(((RequestCarrier) each.request).context().connectionId);
                }
            }
        }
        close(waiting, "append", now - oldest, part);
        return oldest != now;
    }

    /** @param waiting the ids of connections */
    private void close(Set<String> waiting, String site, long hungNanos, RequestPart part) {
        if (!waiting.isEmpty()) {
            part.channel.insync$processors().values().forEach(each -> close(each, end -> end.of(waiting), site, hungNanos, part));
        }
    }

    private void close(Object processor, Consumer<ConnectionCloser> which, String site, long hungNanos, RequestPart part) {
        ConnectionCloser end = new ConnectionCloser(part.scope, (ProcessorCarrier) processor);
        which.accept(end);
        if (end.count() > 0) {
            insync.stepDowns.connectionsClosed.add(end.count());
            insync.events.emit("connections_closed", EventLog.fields("site", site, "processor", end.processor(),
                "hung_ms", hungNanos / 1_000_000L, "connections", end.count(), "ids", end.ids()));
        }
    }
}
