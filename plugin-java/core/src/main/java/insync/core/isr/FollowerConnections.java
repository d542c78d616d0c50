package insync.core.isr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keeps the connections of one follower: the live ones, and a few that were lost recently, because partitions may still be
 * on their clocks. Changed by one thread at a time, read by any.
 *
 * <p>Any client can claim a follower's id in a fetch, and Kafka checks its permission only after the request has waited in
 * the queue. A connection is <em>proven</em> when Kafka has accepted a fetch on it. Others count only if they
 * have the principal of a proven one, and only a few at a time.
 */
final class FollowerConnections {
    /** How many lost connections are kept. */
    static final int LOST = 4;
    /** How many connections count that no fetch has proven yet; a follower has one per fetcher thread. */
    static final int UNPROVEN = 8;
    /** How many connections count at all, because each fetch reads the clocks of the others. */
    static final int MOST = 64;
    private static final FetcherConnection[] NONE = {};

    private volatile FetcherConnection[] all = NONE;
    /** The principal of the newest proven connection, or null. */
    private Object principal;

    /** Returns the connections that count. */
    FetcherConnection[] all() {
        return all;
    }

    /** Adds a connection if it counts; adding one again has no effect. */
    void add(FetcherConnection connection) {
        if (connection.isProven()) {
            principal = connection.principal();
        }
        List<FetcherConnection> members = new ArrayList<>(Arrays.asList(all));
        if (members.contains(connection) || !connection.isProven() && !mayCount(connection, members)) {
            return;
        }
        dropOldLost(members);
        if (members.size() < MOST + LOST) {
            members.add(connection);
            become(members);
        }
    }

    /** Removes a lost connection that was never proven, and keeps one that was. */
    void lost(FetcherConnection connection) {
        if (!connection.isProven()) {
            List<FetcherConnection> members = new ArrayList<>(Arrays.asList(all));
            members.remove(connection);
            become(members);
        }
    }

    private boolean mayCount(FetcherConnection connection, List<FetcherConnection> members) {
        long unproven = members.stream().filter(member -> !member.isProven()).count();
        return unproven < UNPROVEN && (principal == null || principal.equals(connection.principal()));
    }

    private static void dropOldLost(List<FetcherConnection> members) {
        long lost = members.stream().filter(FetcherConnection::isLost).count();
        for (int i = 0; lost > LOST; ) {
            if (members.get(i).isLost()) {
                members.remove(i);
                lost--;
            } else {
                i++;
            }
        }
    }

    private void become(List<FetcherConnection> members) {
        all = members.toArray(NONE);
        members.forEach(member -> member.siblings(all));
    }
}
