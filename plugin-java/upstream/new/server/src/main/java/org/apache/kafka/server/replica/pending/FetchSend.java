package org.apache.kafka.server.replica.pending;

import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.network.TransferableChannel;

import java.io.IOException;

/**
 * The response to a fetch, which measures who delays its writes. The socket does not block, so a long write means that the
 * leader's disk is slow, and all connections of the network thread wait for it. If the socket does not take all of the
 * response, the time until the next write is the follower's.
 */
final class FetchSend implements Send {
    private final Send send;
    private final NetworkThread thread;
    private final FetcherConnection connection;

    /**
     * @param thread the network thread, or null
     * @param connection the follower's connection, or null for a consumer's
     */
    FetchSend(Send send, NetworkThread thread, FetcherConnection connection) {
        this.send = send;
        this.thread = thread;
        this.connection = connection;
    }

    @Override
    public boolean completed() {
        return send.completed();
    }

    @Override
    public long size() {
        return send.size();
    }

    @Override
    public long writeTo(TransferableChannel channel) throws IOException {
        if (connection != null) {
            connection.socketOffered();
        }
        if (thread != null) {
            thread.enterCall(channel);
        }
        try {
            return send.writeTo(channel);
        } finally {
            if (thread != null) {
                thread.leaveCall();
            }
            if (connection != null && !send.completed()) {
                connection.socketFull();
            }
        }
    }

    @Override
    public String toString() {
        return "FetchSend(" + send + ")";
    }
}
