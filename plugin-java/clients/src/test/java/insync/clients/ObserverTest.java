package insync.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A thread of a broker is counted in the group of what it does. */
class ObserverTest {
    @ParameterizedTest
    @CsvSource({
        "data-plane-kafka-request-handler-7,handler",
        "data-plane-kafka-network-thread-1-ListenerName(INTERNAL)-PLAINTEXT-0,network",
        "ExpirationReaper-1-Fetch,reaper",
        "executor-Fetch,reaper",
        "ReplicaFetcherThread-0-2,fetcher",
        "kafka-scheduler-3,scheduler",
        "main,other",
        "broker-1-to-controller-heartbeat-channel-manager,other",
    })
    void itsGroup(String thread, String group) {
        assertEquals(group, Observer.groupOf(thread));
    }
}
