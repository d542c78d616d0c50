package insync.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fetchers are counted by the leader that they ask; only Kafka's own threads are looked at. */
class JmxSamplesTest {
    @Test
    void aFetchersLeaderIsTheEndOfItsClientId() {
        assertEquals("12", JmxSamples.leaderOf("ReplicaFetcherThread-0-12"));
        assertNull(JmxSamples.leaderOf("ReplicaAlterLogDirsThread-0"));
        assertNull(JmxSamples.leaderOf("ReplicaFetcherThread-"));
        assertNull(JmxSamples.leaderOf(null));
    }

    @ParameterizedTest
    @CsvSource({
        "data-plane-kafka-request-handler-7,true",
        "data-plane-kafka-network-thread-1-ListenerName(INTERNAL)-PLAINTEXT-0,true",
        "ReplicaFetcherThread-0-2,true",
        "ExpirationReaper-1-Fetch,false",
        "main,false",
    })
    void whichThreadsAreLookedAt(String thread, boolean looked) {
        assertEquals(looked, JmxSamples.isKafkas(thread));
    }
}
