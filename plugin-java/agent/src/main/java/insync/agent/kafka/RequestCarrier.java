package insync.agent.kafka;

import insync.core.FetcherConnection;

/** Woven into Kafka's Request: the follower's connection that it came on, null for anything but a follower's fetch. */
public interface RequestCarrier {

    FetcherConnection insync$fetcher();

    void insync$fetcher(FetcherConnection connection);
}
