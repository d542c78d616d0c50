package insync.agent.v1_1;

import insync.agent.logstart.LogStarts;
import kafka.cluster.Replica;
import kafka.server.AbstractFetcherThread;

/** A replica's log start offset moves up: by the leader's answer where a fetcher thread does it, else by DeleteRecords. */
public final class FollowerLog {

    private FollowerLog() { }

    /** @return what takes the place of the new log start offset */
    public static long bounded(Replica replica, long newStart) {
        return Thread.currentThread() instanceof AbstractFetcherThread
            ? LogStarts.bounded(newStart, replica.logEndOffset().messageOffset(), replica.highWatermark().messageOffset())
            : newStart;
    }
}
