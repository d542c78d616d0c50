package insync.agent.isr;

import insync.core.RequestScope;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentMap;

/** Woven into Kafka's RequestChannel: scope "request" of its broker, null where that is off, and what the channel holds. */
public interface ChannelCarrier {

    void insync$scope(RequestScope scope);

    /** The requests that wait for a handler, among other things. */
    BlockingQueue<?> insync$queue();

    /** The network threads' Processors by their ids. */
    ConcurrentMap<?, ?> insync$processors();
}
