package insync.bridge;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;

/** A broker that answers as the contract's golden file says. */
final class FakeBroker implements BrokerView {
    private final JsonObject answers;

    FakeBroker(JsonObject answers) {
        this.answers = answers;
    }

    @Override
    public int brokerId() {
        return 1;
    }

    @Override
    public String brokerVersion() {
        return "4.3.1";
    }

    @Override
    public Map<String, Object> settings() {
        return map("settings");
    }

    @Override
    public List<String> ledPartitions(String topic) {
        return List.of("events-0", "events-1");
    }

    @Override
    public Map<String, Object> replicas(String topic, int partition) {
        if (topic.equals("boom")) {
            throw new IllegalStateException("planted failure");
        }
        return topic.equals("events") ? map("replicas") : null;
    }

    @Override
    public Map<String, Object> ownReplica(String topic, int partition) {
        return topic.equals("events") ? map("ownReplica") : null;
    }

    @Override
    public Map<String, Object> fetchers() {
        Map<String, Object> all = map("fetchers");
        // The bridge adds its own counters to the broker's figures.
        all.keySet().removeAll(List.of("bounded", "snapshots"));
        return all;
    }

    @SuppressWarnings("unchecked") // gson gives a map of JSON values for an object
    private Map<String, Object> map(String name) {
        return new Gson().fromJson(answers.get(name), Map.class);
    }
}
