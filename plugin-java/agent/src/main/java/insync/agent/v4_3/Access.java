package insync.agent.v4_3;

import insync.agent.kafka.BrokerAccess;
import insync.core.BrokerView;
import insync.core.EventLog;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.server.replica.Replica;
import org.apache.kafka.server.replica.ReplicaState;

/** A replica's state is a record here. */
final class Access implements BrokerAccess {

    @Override
    public Map<String, Object> fetchState(Object replica) {
        ReplicaState state = ((Replica) replica).stateSnapshot();
        return EventLog.fields("leo", state.logEndOffset(), "last_caught_up_ms", state.lastCaughtUpTimeMs(),
            "last_fetch_ms", state.lastFetchTimeMs());
    }

    @Override
    public BrokerView view(ReplicaManager replicas, KafkaConfig config, String brokerVersion) {
        return new LeaderView(replicas, config, brokerVersion);
    }
}
