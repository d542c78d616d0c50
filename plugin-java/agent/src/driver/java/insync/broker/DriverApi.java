package insync.broker;

/**
 * The operations of the differential model in tests/model on a leader. Every operation returns a JSON object: what
 * the leader did ("trace") and its state afterwards ("state"). Times are milliseconds of a mock clock, which
 * only these operations move.
 */
public interface DriverApi {

    int apiVersion();

    /**
     * Creates a topic of two partitions, which this broker leads with all replicas in the ISR, and no connections.
     *
     * @param scope "off", "read" or "request"
     */
    String open(String scope);

    /**
     * Appends records as a produce request does: fetches that wait for them are read again, and each read takes a given
     * time.
     */
    String append(int partition, int records, int readMs);

    /**
     * Elects or re-elects this broker in the partition's next leader epoch.
     *
     * @param inSync ids of the followers in the ISR, separated by blanks
     */
    String elect(int partition, String inSync);

    /** Elects another broker in the partition's next leader epoch. */
    String resign(int partition);

    /** Restarts the follower: from now on it has its next broker epoch. */
    String restart(int follower);

    /**
     * Sends a fetch on an idle connection, which is created if its name is new; Kafka's own client decides what it names.
     *
     * @param thread the network thread of a new connection, 0 or 1
     * @param wanted all partitions that the follower fetches there, as partition:offset:leaderEpoch, separated by blanks;
     *     leader epoch -1 if the follower does not send one
     */
    String arrive(String connection, int follower, int brokerEpoch, int thread, String wanted);

    /** Serves the fetch in a handler thread; the read of each partition takes a given time. */
    String serve(String connection, int readMs);

    /** Ends the fetch's wait for more data; it is read again. */
    String expire(String connection, int readMs);

    /**
     * Writes the response to the socket in the network thread.
     *
     * @param outcome "all": the socket takes it all; "part": it is full before the end; "stall": the network thread
     *     hangs in the file-to-socket transfer until {@link #leave}
     */
    String offer(String connection, String outcome);

    /** Continues the transfer, with outcome "all" or "part". */
    String leave(String connection, String outcome);

    /** Completes, in the network thread, a response that is sent or can no longer be sent. */
    String settle(String connection);

    /** Closes the connection. */
    String disconnect(String connection);

    /** Moves the time while the leader's process runs. */
    String pass(int ms);

    /** Moves the time while the leader's process is frozen. */
    String freeze(int ms);

    /** Ends all pending work as at a broker's shutdown; afterwards nothing may be pending. */
    String close();
}
