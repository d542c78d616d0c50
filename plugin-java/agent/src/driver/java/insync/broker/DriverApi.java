package insync.broker;

/**
 * All that the differential model in tests/model may do to a leader. Every operation answers with a JSON object: what
 * the leader did meanwhile ("trace") and its state afterwards ("state"). Times are milliseconds of a mock clock, which
 * only these operations move.
 */
public interface DriverApi {

    int apiVersion();

    /**
     * A fresh topic of two partitions, which this broker leads with everybody in the ISR, and no connections.
     *
     * @param scope "off", "read" or "request"
     */
    String open(String scope);

    /**
     * Appends records as a producer's request does: fetches that wait for them are read again, and each read takes a
     * time.
     */
    String append(int partition, int records, int readMs);

    /**
     * This broker is elected or re-elected in the partition's next leader epoch.
     *
     * @param inSync ids of the followers in the ISR, with blanks between them
     */
    String elect(int partition, String inSync);

    /** Another broker leads the partition from its next leader epoch on. */
    String resign(int partition);

    /** The follower's process is a new one: from now on the cluster knows it by its next broker epoch. */
    String restart(int follower);

    /**
     * A fetch arrives on an idle connection, a new one if its name is; Kafka's own client decides what it names.
     *
     * @param thread the network thread of a new connection, 0 or 1
     * @param wanted all partitions that the follower fetches there, as partition:offset:leaderEpoch with blanks between
     *     them; leader epoch -1 for a follower that does not say
     */
    String arrive(String connection, int follower, int brokerEpoch, int thread, String wanted);

    /** A handler thread takes the fetch from the queue; the read of each partition takes a time. */
    String serve(String connection, int readMs);

    /** The fetch has waited long enough for more data and is read again. */
    String expire(String connection, int readMs);

    /**
     * The network thread offers the response to the socket.
     *
     * @param outcome "all": the socket takes it all; "part": it is full before the end; "stall": the network thread
     *     hangs in the file-to-socket transfer until {@link #leave}
     */
    String offer(String connection, String outcome);

    /** The transfer goes on, to "all" or "part". */
    String leave(String connection, String outcome);

    /** The network thread settles a response that is sent, or that can no longer be. */
    String settle(String connection);

    /** The connection is lost. */
    String disconnect(String connection);

    /** Time passes while the leader's process lives. */
    String pass(int ms);

    /** Time passes while it is frozen. */
    String freeze(int ms);

    /** All that is under way ends as when the broker goes down; afterwards nothing may be pending. */
    String close();
}
