package insync.broker;

import insync.core.Insync;
import insync.core.events.EventLog;
import insync.core.isr.LeaderClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import kafka.network.RequestChannel;
import kafka.network.SocketServer;
import kafka.server.AlterPartitionManager;
import kafka.server.KafkaApis;
import kafka.server.KafkaConfig;
import kafka.server.QuotaFactory;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.Send;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.network.metrics.RequestChannelMetrics;
import org.apache.kafka.security.CredentialProvider;
import org.apache.kafka.server.ApiVersionManager;
import org.apache.kafka.server.FetchManager;
import org.apache.kafka.server.FetchSession;
import org.apache.kafka.server.FetchSessionCacheShard;
import org.apache.kafka.server.ServerSocketFactory;
import org.apache.kafka.server.network.ConnectionDisconnectListener;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.util.MockTime;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import org.mockito.Mockito;
import scala.Function1;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

/**
 * A leader that a test drives step by step: Kafka's own SocketServer, RequestChannel, KafkaApis, fetch sessions,
 * ReplicaManager and purgatory, on a mock clock, with a {@link DrivenTopic} and {@link DrivenConnection}s.
 */
final class DrivenBroker {
    private static final int SESSIONS = 100_000;

    private final int id;
    private final Path folder;
    private final MockTime time = new MockTime();
    private final ManualTimer timer = new ManualTimer();
    private final Map<Integer, Long> brokerEpochs = new HashMap<>();
    private final Map<Uuid, String> topicNames = new HashMap<>();
    private final List<NetworkLoop> network;
    private final ReplicaManager replicas;
    private final RequestChannel queue;
    private final KafkaApis apis;
    private final Tracking tracking;
    private final Map<String, DrivenConnection> connections = new TreeMap<>();
    private final List<Map<String, Object>> trace = new ArrayList<>();
    private Map<String, Object> statsBefore;
    private DrivenTopic topic;
    private int topics;
    private int readMs;

    /** @param scope "off", "read" or "request"; ignored without the agent */
    DrivenBroker(int id, String scope, Path folder) throws Exception {
        this.id = id;
        this.folder = folder;
        network = List.of(new NetworkLoop("network-0-of-" + id), new NetworkLoop("network-1-of-" + id));
        KafkaConfig config = config(scope);
        MetadataCache metadata = metadata();
        QuotaFactory.QuotaManagers quotas = BrokerParts.stub(QuotaFactory.QuotaManagers.class);
        replicas = BrokerParts.replicaManager(config, time, metadata, quotas,
            Option.apply(new DelayedOperationPurgatory<>("Fetch", timer, id, 1_000, false, true)),
            BrokerParts.stub(AlterPartitionManager.class));
        queue = new SocketServer(config, new Metrics(), time, BrokerParts.stub(CredentialProvider.class), apiVersions(),
            ServerSocketFactory.INSTANCE,
            CollectionConverters.asScala(List.<ConnectionDisconnectListener>of()).toSeq()).dataPlaneRequestChannel();
        tracking = Tracking.of(queue, time);
        FetchManager sessions = new FetchManager(time, new FetchSession.FetchSessionCache(
            List.of(new FetchSessionCacheShard(SESSIONS, 120_000, Integer.MAX_VALUE, 0))));
        apis = new KafkaApis(new Answers(), null, replicas, null, null, null, null, id, config, null, metadata, null,
            Option.empty(), quotas, sessions, null, new BrokerTopicStats(), "cluster", time, null, null, null, null);
    }

    private KafkaConfig config(String scope) {
        Properties settings = new Properties();
        settings.putAll(Leader.KRAFT);
        settings.put("node.id", String.valueOf(id));
        settings.put("log.dirs", folder.toString());
        settings.put("follower.fetch.pending.reads.insync.enable", String.valueOf(!scope.equals("off")));
        settings.put("insync.scope", scope.equals("request") ? "request" : "read");
        return new KafkaConfig(settings, false);
    }

    private MetadataCache metadata() {
        MetadataCache metadata = BrokerParts.stub(MetadataCache.class);
        Mockito.when(metadata.contains(Mockito.any(org.apache.kafka.common.TopicPartition.class))).thenReturn(true);
        Mockito.when(metadata.topicIdsToNames()).thenReturn(topicNames);
        Mockito.when(metadata.getAliveBrokerEpoch(Mockito.anyInt()))
            .thenAnswer(asked -> Optional.ofNullable(brokerEpochs.get((Integer) asked.getArgument(0))));
        return metadata;
    }

    private static ApiVersionManager apiVersions() {
        ApiVersionManager versions = BrokerParts.stub(ApiVersionManager.class);
        Mockito.when(versions.listenerType()).thenReturn(ApiMessageType.ListenerType.BROKER);
        Mockito.when(versions.newRequestMetrics()).thenReturn(new RequestChannelMetrics(java.util.Set.of(ApiKeys.FETCH)));
        return versions;
    }

    void open() throws Exception {
        close();
        trace.clear();
        connections.clear();
        topicNames.clear();
        DrivenTopic.FOLLOWERS.forEach(follower -> brokerEpochs.put(follower, 1L));
        topic = new DrivenTopic(id, "events-" + topics++, replicas, time, folder, tracking, this::reading);
        topicNames.put(topic.id(), topic.name());
        statsBefore = tracking.stats();
    }

    /** Ends all pending work, as a broker does at shutdown. */
    void close() throws Exception {
        readMs = 0;
        connections.values().stream().filter(DrivenConnection::isStalled).forEach(hanging -> hanging.leave("all"));
        connections.forEach((name, connection) -> {
            connection.disconnect();
            if (timer.isWaiting(name)) {
                timer.expire(name);
            }
        });
        if (topic != null) {
            trace.add(EventLog.fields("closing", topic.state()));
            topic.close();
            topic = null;
        }
    }

    DrivenTopic topic() {
        return topic;
    }

    DrivenConnection connection(String name) {
        return connections.get(name);
    }

    void restart(int follower) {
        brokerEpochs.merge(follower, 1L, Long::sum);
    }

    void arrive(String name, int follower, int brokerEpoch, int thread, String wanted) throws Exception {
        DrivenConnection connection = connections.computeIfAbsent(name,
            made -> new DrivenConnection(made, id, follower, network.get(thread)));
        trace.add(EventLog.fields("arrived", connection.arrive(queue, brokerEpoch, topic, wanted), "on", name));
    }

    void serve(String name) {
        timer.owner(name);
        apis.handleFetchRequest(connections.get(name).request());
    }

    void expire(String name) {
        timer.expire(name);
    }

    /** Sets how long each read of a partition takes from now on. */
    void readsTake(int ms) {
        readMs = ms;
    }

    private void reading(int partition) {
        pass(readMs);
        trace.add(EventLog.fields("read", partition, "state", state()));
    }

    void pass(long ms) {
        long end = time.milliseconds() + ms;
        while (time.milliseconds() < end) {
            time.sleep(Math.min(LeaderClock.PERIOD_MS, end - time.milliseconds()));
            tick();
        }
    }

    /** Moves the time without a tick; the trace has the state before the next tick. */
    void freeze(long ms) {
        time.sleep(ms);
        trace.add(EventLog.fields("frozen", ms, "state", state()));
        tick();
    }

    private void tick() {
        tracking.tick();
    }

    /** Returns the trace since the last answer, and the present state. */
    Map<String, Object> answer() {
        Map<String, Object> answer = EventLog.fields("trace", new ArrayList<>(trace), "state", state());
        trace.clear();
        return answer;
    }

    private Map<String, Object> state() {
        return EventLog.fields("partitions", topic == null ? List.of() : topic.state(), "marks", marks(),
            "last_error", Insync.current().failures.last());
    }

    private Map<String, Object> marks() {
        Map<String, Object> now = tracking.stats();
        if (now == null) {
            return null;
        }
        Map<String, Object> since = new TreeMap<>();
        for (String name : List.of("marks_total", "released_total", "cleared_total")) {
            since.put(name, (Long) now.get(name) - (Long) statsBefore.get(name));
        }
        return since;
    }

    /** Keeps the responses of KafkaApis until a test sends them. */
    private final class Answers extends RequestChannel {
        Answers() {
            super(1, time, new RequestChannelMetrics(java.util.Set.of(ApiKeys.FETCH)));
        }

        @Override
        public void sendResponse(RequestChannel.Request request, AbstractResponse response,
                                 Option<Function1<Send, BoxedUnit>> onComplete) {
            String name = request.context().connectionId;
            DrivenConnection connection = connections.get(name);
            connection.answered((FetchResponse) response, request.buildResponseSend(response));
            trace.add(EventLog.fields("answered", name, "has_data", connection.hasData()));
        }
    }
}
