package org.apache.kafka.server.replica;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.util.MockTime;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

public class ReplicaPendingFetchTest {
    private static final int BROKER_ID = 2;
    private static final long MAX_LAG_MS = 30_000L;

    private final MockTime time = new MockTime();
    private final MetadataCache metadataCache = mock(MetadataCache.class);
    private final Replica replica = new Replica(BROKER_ID, new TopicPartition("events", 0), metadataCache);

    @BeforeEach
    public void setup() {
        when(metadataCache.getAliveBrokerEpoch(BROKER_ID)).thenReturn(Optional.of(1L));
        replica.resetReplicaState(time.milliseconds(), 0L, true, true);
    }

    @Test
    public void testReplicaIsNotKeptInSyncWithoutAFetch() {
        assertFalse(isKeptInSync(MAX_LAG_MS));
    }

    @Test
    public void testReplicaIsKeptInSyncWhileItsFetchIsPending() {
        read(0L, 10L);
        PendingFetch fetch = begin(10L).orElseThrow();
        time.sleep(MAX_LAG_MS + 1);
        assertTrue(isKeptInSync(MAX_LAG_MS));
        // Its response never came because of an error, so it was not progress of the follower.
        fetch.complete(time.milliseconds());
        assertFalse(isKeptInSync(MAX_LAG_MS));
    }

    @Test
    public void testFetchIsCaughtUpAsOfItsCompletion() {
        read(0L, 10L);
        PendingFetch fetch = begin(10L).orElseThrow();
        time.sleep(MAX_LAG_MS + 1);
        read(10L, 20L);
        long beforeMs = replica.stateSnapshot().lastCaughtUpTimeMs();
        fetch.complete(time.milliseconds());
        assertEquals(beforeMs, replica.stateSnapshot().lastCaughtUpTimeMs());
        time.sleep(MAX_LAG_MS);
        assertTrue(isKeptInSync(MAX_LAG_MS));
        time.sleep(1);
        assertFalse(isKeptInSync(MAX_LAG_MS));
    }

    @Test
    public void testFetchBehindTheLeadersEndAtThePreviousFetchIsNotPending() {
        read(0L, 10L);
        assertEquals(Optional.empty(), begin(9L));
        assertTrue(begin(10L).isPresent());
    }

    @Test
    public void testFirstFetchFromANewLeaderIsPendingButNotCaughtUp() {
        PendingFetch fetch = begin(0L).orElseThrow();
        read(0L, 10L);
        assertTrue(isKeptInSync(MAX_LAG_MS));
        fetch.complete(time.milliseconds());
        assertFalse(isKeptInSync(MAX_LAG_MS));
    }

    @Test
    public void testFirstFetchFromAReelectedLeaderIsPending() {
        replica.resetReplicaState(time.milliseconds(), 10L, false, true);
        PendingFetch fetch = begin(5L).orElseThrow();
        read(5L, 20L);
        fetch.complete(time.milliseconds());
        assertFalse(isKeptInSync(MAX_LAG_MS));
    }

    @Test
    public void testFetchThatIsRefusedIsNotCaughtUp() {
        read(0L, 10L);
        PendingFetch fetch = begin(10L).orElseThrow();
        when(metadataCache.getAliveBrokerEpoch(BROKER_ID)).thenReturn(Optional.of(2L));
        assertThrows(NotLeaderOrFollowerException.class, () -> read(10L, 10L));
        fetch.complete(time.milliseconds());
        assertFalse(isKeptInSync(MAX_LAG_MS));
    }

    @Test
    public void testAnOlderFetchStaysPendingWhenAYoungerOneCompletes() {
        read(0L, 10L);
        PendingFetch older = begin(10L).orElseThrow();
        PendingFetch younger = begin(11L).orElseThrow();
        younger.complete(time.milliseconds());
        younger.complete(time.milliseconds());
        assertTrue(isKeptInSync(MAX_LAG_MS));
        older.complete(time.milliseconds());
        assertFalse(isKeptInSync(MAX_LAG_MS));
    }

    @Test
    public void testPendingFetchKeepsInSyncForTenLags() {
        begin(0L);
        time.sleep(10 * MAX_LAG_MS);
        assertTrue(isKeptInSync(MAX_LAG_MS));
        time.sleep(1);
        assertFalse(isKeptInSync(MAX_LAG_MS));
        assertTrue(isKeptInSync(Long.MAX_VALUE));
    }

    @Test
    public void testElectionClearsPendingFetches() {
        PendingFetch fetch = begin(0L).orElseThrow();
        read(0L, 0L);
        replica.resetReplicaState(time.milliseconds(), 0L, false, true);
        assertFalse(isKeptInSync(MAX_LAG_MS));
        fetch.complete(time.milliseconds());
        assertFalse(isKeptInSync(MAX_LAG_MS), "nor does its completion count");
    }

    private Optional<PendingFetch> begin(long fetchOffset) {
        return replica.maybeBeginFetch(fetchOffset, time.hiResClockMs());
    }

    private void read(long fetchOffset, long leaderEndOffset) {
        replica.updateFetchStateOrThrow(new LogOffsetMetadata(fetchOffset), 0L, time.milliseconds(), leaderEndOffset, 1L);
    }

    private boolean isKeptInSync(long maxLagMs) {
        return replica.isKeptInSync(time.milliseconds(), time.hiResClockMs(), maxLagMs);
    }
}
