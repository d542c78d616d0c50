package insync.core.stepdown;

import java.util.ArrayList;
import java.util.List;

/**
 * Decides whether a broker asks its controller to fence it, and until when. A stock controller grants that at once: it moves every
 * leader and takes the broker out of every ISR, and elects it nowhere until it is unfenced.
 *
 * <p>The broker repeats its wish in every heartbeat until nothing has hung for T and it has applied who leads its partitions. If it
 * hangs again within a cool-down, it stays fenced for twice as long after that, at most for 8 T. One thread calls it; any reads
 * {@link #isWanted}.
 */
public final class Fencing {
    private static final long NEVER = Long.MIN_VALUE;
    /** A replica that is missing for longer costs more than another fencing. */
    private static final int MOST_DOUBLINGS = 3;
    /** How many T a broker may need to apply that another one leads what it gave away. Others apply that in a moment. */
    private static final int DEAF_AFTER = 4;

    private final StepDownSettings settings;
    private volatile boolean wanted;
    private volatile boolean everWanted;
    private volatile boolean granted;
    /** The last record of the metadata log that the broker had applied at its last heartbeat, and at the one that was granted. */
    private volatile long applied;
    private volatile long appliedWhenGranted;
    private long since;
    private long calmSince = NEVER;
    private long ended = NEVER;
    private int repeated;

    public Fencing(StepDownSettings settings) {
        this.settings = settings;
    }

    /** Returns whether the broker's next heartbeat asks for fencing. */
    public boolean isWanted() {
        return wanted;
    }

    /** Returns whether one did. Only a broker that was unfenced asks, so its heartbeats otherwise ask to be unfenced. */
    public boolean wasEverWanted() {
        return everWanted;
    }

    /**
     * Notes that a heartbeat is sent.
     *
     * @param metadataOffset the last record of the metadata log that the broker has applied
     */
    public void sent(long metadataOffset) {
        applied = metadataOffset;
    }

    /**
     * Notes the answer to a heartbeat.
     *
     * @param fenced whether the controller has fenced the broker
     * @return whether this grants the present wish
     */
    public boolean answered(boolean fenced) {
        boolean grants = fenced && wanted && !granted;
        if (grants) {
            appliedWhenGranted = applied;
            granted = true;
        }
        return grants;
    }

    /**
     * Returns whether the controller has granted the present wish. Then this broker leads nothing any more, whether or not it
     * has applied that.
     */
    public boolean isGranted() {
        return granted;
    }

    /**
     * Returns whether a broker applies no metadata. It must not be elected, because it would not learn of that.
     *
     * @param unappliedNanos for how long it has known of a new leader without applying that
     */
    public boolean isDeaf(long unappliedNanos) {
        return unappliedNanos > DEAF_AFTER * settings.processTimeMaxNanos();
    }

    /** Begins to ask, unless it does already; returns whether the next heartbeat is a different one. */
    public boolean ask(long now) {
        if (wanted) {
            return false;
        }
        boolean again = ended != NEVER && now - ended < settings.cooldownNanos();
        repeated = again ? Math.min(repeated + 1, MOST_DOUBLINGS) : 0;
        since = now;
        calmSince = NEVER;
        everWanted = true;
        wanted = true;
        return true;
    }

    /**
     * Ends the wish if it is time.
     *
     * @param hangs whether an append, a read or a network thread of the broker hangs
     * @param isApplied whether the broker has applied who leads its partitions, as far as its metadata says that
     * @return whether the next heartbeat is a different one
     */
    public boolean tick(long now, boolean hangs, boolean isApplied) {
        // That it is fenced is in a record after those that it had applied then. A call that hangs keeps it from applying any.
        boolean isBehind = granted && applied <= appliedWhenGranted;
        if (hangs || !isApplied || isBehind) {
            calmSince = NEVER;
        } else if (calmSince == NEVER) {
            calmSince = now;
        }
        if (!wanted || calmSince == NEVER || now - calmSince < calmNanos()) {
            return false;
        }
        return end(now);
    }

    /** Ends the wish, because the step-down is turned off; returns whether the next heartbeat is a different one. */
    public boolean end(long now) {
        boolean was = wanted;
        wanted = false;
        granted = false;
        ended = now;
        return was;
    }

    private long calmNanos() {
        return settings.processTimeMaxNanos() << repeated;
    }

    /** Returns for how long it has asked, milliseconds. */
    public long ageMs(long now) {
        return (now - since) / 1_000_000L;
    }

    /**
     * Returns why the broker must not be fenced, or null. Fencing would take a partition's last replica in sync, or one that
     * acks=all needs; or too many brokers are fenced or dead, so it is not this broker that is sick; or the broker has other log
     * directories, which work.
     *
     * @param members the partitions in whose ISR the broker is
     * @param peers how many other brokers have replicas of them
     * @param livePeers how many of those are live and unfenced
     * @param logDirs how many log directories the broker has
     */
    public String against(List<Member> members, int peers, int livePeers, int logDirs) {
        if (logDirs > 1) {
            return "the broker has " + logDirs + " log directories, and fencing would give up those that work";
        }
        if (peers - livePeers > peers * settings.slowPeersMaxRatio()) {
            return peers - livePeers + " of " + peers + " other brokers are fenced or dead";
        }
        List<String> below = new ArrayList<>();
        for (Member each : members) {
            if (!each.hangs && (each.isrSize == 1 || each.isrSize == each.minIsr)) {
                below.add(each.name);
            }
        }
        return below.isEmpty() ? null : "it would leave too few replicas in sync of " + below.get(0)
            + (below.size() == 1 ? "" : " and " + (below.size() - 1) + " more partitions");
    }

    /** A partition in whose ISR the broker is. */
    public static final class Member {
        private final String name;
        private final int isrSize;
        private final int minIsr;
        private final boolean hangs;

        /**
         * @param minIsr min.insync.replicas, of which Kafka asks for no more than there are replicas
         * @param hangs whether acks of the partition wait for this broker, so that fencing cannot make that worse
         */
        public Member(String name, int isrSize, int replicas, int minIsr, boolean hangs) {
            this.name = name;
            this.isrSize = isrSize;
            this.minIsr = Math.min(minIsr, replicas);
            this.hangs = hangs;
        }
    }
}
