package insync.agent.isr;

import insync.core.FetcherConnection;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * Woven into Kafka's Request, a class that moved with 4.4: the follower's connection that it came on, and those
 * methods that it has by itself in every version (the weave checks that it does).
 */
public interface RequestCarrier {

    /** Null for anything but a follower's fetch. */
    FetcherConnection insync$fetcher();

    void insync$fetcher(FetcherConnection connection);

    RequestHeader header();

    RequestContext context();

    AbstractRequest loggableRequest();

    /** The id of the network thread's Processor that it came on. */
    int processor();

    /** When it arrived, by the broker's monotonic clock. */
    long startTimeNanos();
}
