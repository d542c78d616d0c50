package insync.broker;

import insync.core.events.EventLog;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Future;
import kafka.network.RequestChannel;
import org.apache.kafka.clients.FetchSessionHandler;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.network.ChannelMetadataRegistry;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.KafkaChannel;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.network.NetworkSend;
import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.network.metrics.RequestChannelMetrics;
import scala.Option;

/**
 * One connection of a follower's fetcher: the follower's side is Kafka's own client of fetch sessions, the leader's side
 * is Kafka's own channel over a {@link FakeSocket}. One fetch is under way at a time.
 */
final class DrivenConnection {
    private static final short VERSION = ApiKeys.FETCH.latestVersion();
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_WAIT_MS = 500;
    private static final RequestChannelMetrics METRICS = new RequestChannelMetrics(java.util.Set.of(ApiKeys.FETCH));

    private final String id;
    private final int follower;
    private final NetworkLoop network;
    private final FakeSocket socket = FakeSocket.open();
    private final KafkaChannel channel;
    private final FetchSessionHandler session;
    private RequestChannel.Request request;
    private FetchResponse response;
    private Send send;
    private boolean offered;
    private Future<Long> stalled;

    DrivenConnection(String id, int leader, int follower, NetworkLoop network) {
        this.id = id;
        this.follower = follower;
        this.network = network;
        channel = new KafkaChannel(id, socket, () -> null, MAX_BYTES, MemoryPool.NONE,
            BrokerParts.stub(ChannelMetadataRegistry.class));
        session = new FetchSessionHandler(new LogContext(), leader);
    }

    /** @return the request's content: full, named and forgotten partitions */
    Map<String, Object> arrive(RequestChannel queue, int brokerEpoch, DrivenTopic topic, String wanted) throws Exception {
        FetchSessionHandler.Builder builder = session.newBuilder();
        for (String one : wanted.isEmpty() ? new String[0] : wanted.split(" ")) {
            String[] parts = one.split(":");
            builder.add(new TopicPartition(topic.name(), Integer.parseInt(parts[0])),
                partition(topic.id(), Long.parseLong(parts[1]), Integer.parseInt(parts[2])));
        }
        FetchSessionHandler.FetchRequestData data = builder.build();
        FetchRequest fetch = FetchRequest.Builder.forReplica(VERSION, follower, brokerEpoch, MAX_WAIT_MS, 1, data.toSend())
            .removed(data.toForget()).replaced(data.toReplace()).metadata(data.metadata()).build(VERSION);
        request = request(fetch);
        network.run(() -> {
            queue.sendRequest(request);
            return null;
        });
        // The test decides which thread takes it from the queue, and serves requests in any order.
        queue.receiveRequest();
        Map<String, Object> named = new TreeMap<>();
        data.toSend().forEach((id, one) -> named.put(String.valueOf(id.partition()), one.fetchOffset));
        return EventLog.fields("full", data.metadata().isFull(), "named", named,
            "forgotten", data.toForget().stream().map(one -> one.topicPartition().partition()).toArray());
    }

    private static FetchRequest.PartitionData partition(Uuid topicId, long offset, int leaderEpoch) {
        return new FetchRequest.PartitionData(topicId, offset, 0, MAX_BYTES,
            leaderEpoch < 0 ? Optional.empty() : Optional.of(leaderEpoch));
    }

    private RequestChannel.Request request(FetchRequest fetch) throws IOException {
        ByteBuffer buffer = fetch.serializeWithHeader(new RequestHeader(ApiKeys.FETCH, VERSION, "follower-" + follower, 0));
        RequestHeader header = RequestHeader.parse(buffer);
        RequestContext context = new RequestContext(header, id, InetAddress.getLoopbackAddress(), KafkaPrincipal.ANONYMOUS,
            ListenerName.normalised("PLAINTEXT"), SecurityProtocol.PLAINTEXT, ClientInformation.EMPTY, false);
        return new RequestChannel.Request(0, context, 0, MemoryPool.NONE, buffer, METRICS, Option.empty());
    }

    RequestChannel.Request request() {
        return request;
    }

    /** Notes that the leader has created its response. */
    void answered(FetchResponse made, Send toSend) {
        response = made;
        send = toSend;
    }

    void offer(String outcome) throws InterruptedException {
        if (!offered) {
            offered = true;
            network.run(() -> {
                channel.setSend(new NetworkSend(id, send));
                return null;
            });
        }
        if (outcome.equals("stall")) {
            socket.room(Long.MAX_VALUE);
            socket.stall();
            stalled = network.begin(channel::write);
            socket.awaitTransfer();
        } else {
            room(outcome);
            network.run(channel::write);
        }
    }

    void leave(String outcome) {
        room(outcome);
        socket.leave();
        NetworkLoop.await(stalled);
        stalled = null;
    }

    private void room(String outcome) {
        socket.room(outcome.equals("all") ? Long.MAX_VALUE : 1);
    }

    /** Passes the response to the follower if the connection still exists. */
    void settle() {
        network.run(() -> {
            channel.maybeCompleteSend();
            request.updateRequestMetrics(0, new RequestChannel.SendResponse(request, send, Option.empty(), Option.empty()));
            return null;
        });
        if (socket.isConnected()) {
            session.handleResponse(response, VERSION);
        }
        request = null;
        response = null;
        send = null;
        offered = false;
    }

    void disconnect() {
        network.run(() -> {
            channel.disconnect();
            return null;
        });
    }

    boolean isStalled() {
        return stalled != null;
    }

    /** Returns whether the response has records, which are transferred from file to socket. */
    boolean hasData() {
        return response.data().responses().stream().flatMap(one -> one.partitions().stream())
            .anyMatch(one -> one.records() != null && one.records().sizeInBytes() > 0);
    }
}
