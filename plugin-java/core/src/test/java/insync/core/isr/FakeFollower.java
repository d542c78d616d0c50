package insync.core.isr;

/** A follower replica with settable leader epoch. */
final class FakeFollower implements FollowerReplica {
    static final Object PRINCIPAL = "User:broker";
    static final int ID = 1002;
    volatile int leaderEpoch = 1;

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
        return ID;
    }

    @Override
    public int leaderEpoch() {
        return leaderEpoch;
    }
}
