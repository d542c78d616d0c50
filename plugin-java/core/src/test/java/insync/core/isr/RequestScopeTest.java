package insync.core.isr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.ManualClock;
import insync.core.isr.RequestScope.FollowerConnections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which connections count for a follower, whose id any client can claim before Kafka checks its permission. */
class RequestScopeTest {
    private static final int FOLLOWER = 2;
    private static final int MANY = 10_000;

    private final ManualClock clock = new ManualClock();
    private final LeaderClock leaderClock = new LeaderClock(clock);
    private final RequestScope scope = new RequestScope(clock, leaderClock, new Stats(),
        (replica, topic, partition, nanos) -> { }, (request, replica) -> FetchBody.NOT_NAMED);
    private final NetworkThread thread = new NetworkThread(leaderClock);

    private FetcherConnection connect(String id, int follower, String principal) {
        FetcherConnection made = scope.connection(id, follower, principal, thread);
        made.arrived(new Object(), 1, true, 500);
        return made;
    }

    private boolean counts(FetcherConnection connection) {
        return List.of(scope.of(connection.follower)).contains(connection);
    }

    @Test
    void forgedIdsLeaveNothingWhenTheirConnectionsEnd() {
        for (int id = 0; id < MANY; id++) {
            connect("forged-" + id, id, "User:client");
        }
        for (int id = 0; id < MANY; id++) {
            scope.disconnected("forged-" + id);
        }
        assertEquals(0, scope.followers());
    }

    @Test
    void connectionsThatClaimARealIdAreFewAmongThoseThatEachFetchReads() {
        scope.accepted(connect("follower", FOLLOWER, "User:broker"));
        for (int i = 0; i < MANY; i++) {
            connect("forged-" + i, FOLLOWER, "User:client");
            connect("same-" + i, FOLLOWER, "User:broker");
        }
        assertEquals(1 + FollowerConnections.UNPROVEN, scope.of(FOLLOWER).length);
    }

    @Test
    void acceptedConnectionsAreBoundedToo() {
        for (int i = 0; i < MANY; i++) {
            scope.accepted(connect("accepted-" + i, FOLLOWER, "User:broker"));
        }
        assertTrue(scope.of(FOLLOWER).length <= FollowerConnections.MOST + FollowerConnections.LOST);
    }

    @Test
    void anotherPrincipalDoesNotCountUntilKafkaAcceptsItsFetch() {
        scope.accepted(connect("follower", FOLLOWER, "User:broker"));
        FetcherConnection other = connect("other", FOLLOWER, "User:client");
        assertFalse(counts(other));
        scope.accepted(other);
        assertTrue(counts(other));
    }

    @Test
    void clientsThatCameBeforeTheFollowerCountNoLongerOnceItIsAccepted() {
        for (int i = 0; i < MANY; i++) {
            connect("forged-" + i, FOLLOWER, "User:client");
        }
        FetcherConnection follower = connect("follower", FOLLOWER, "User:broker");
        scope.accepted(follower);
        assertEquals(List.of(follower), List.of(scope.of(FOLLOWER)));
        assertTrue(counts(connect("second thread", FOLLOWER, "User:broker")));
    }

    @Test
    void aFollowerThatReconnectsCountsBeforeItsFetchIsRead() {
        scope.accepted(connect("before", FOLLOWER, "User:broker"));
        scope.disconnected("before");
        assertTrue(counts(connect("after", FOLLOWER, "User:broker")), "its fetch may wait in the queue for long");
    }

    @Test
    void theFirstConnectionCountsBeforeItsFetchIsRead() {
        assertTrue(counts(connect("first", FOLLOWER, "User:broker")));
    }

    @Test
    void lostConnectionsThatWereAcceptedAreKeptAndFew() {
        for (int i = 0; i < 100; i++) {
            scope.accepted(connect("lost-" + i, FOLLOWER, "User:broker"));
            scope.disconnected("lost-" + i);
        }
        connect("live", FOLLOWER, "User:broker");
        assertEquals(FollowerConnections.LOST + 1, scope.of(FOLLOWER).length);
    }
}
