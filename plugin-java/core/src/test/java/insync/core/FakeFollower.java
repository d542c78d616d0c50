package insync.core;

import java.util.concurrent.atomic.AtomicLong;

/** A follower replica with settable leader epoch, remembering its last caught-up time. */
final class FakeFollower implements FollowerReplica {
    volatile int leaderEpoch = 1;
    final AtomicLong caughtUpMs = new AtomicLong();

    @Override
    public String topic() {
        return "events";
    }

    @Override
    public int partition() {
        return 0;
    }

    @Override
    public int replicaId() {
        return 1002;
    }

    @Override
    public int leaderEpoch() {
        return leaderEpoch;
    }

    @Override
    public void caughtUpAt(long timeMs) {
        caughtUpMs.accumulateAndGet(timeMs, Math::max);
    }
}
