package insync.agent.v4_3;

import kafka.server.KafkaConfig;
import org.apache.kafka.common.config.ConfigDef;

/** The plugin's broker configs: their definitions in Kafka's own ConfigDef, and how they are read. */
public final class Settings {
    /** KIP-501, "Public Interfaces". */
    public static final String PENDING_READS = "follower.fetch.pending.reads.insync.enable";
    private static final String PENDING_READS_DOC =
        "Whether a follower stays in sync while the leader is still processing a fetch of it whose offset is at or "
        + "beyond the leader's log end offset at that follower's previous fetch (KIP-501, solution 1). With it, a "
        + "leader that is slow to read does not drop followers that keep up. Woven in by the insync agent.";

    private Settings() { }

    /** Adds the plugin's keys to the broker's definition, so that they are parsed and described like any other. */
    public static void define(ConfigDef definition) {
        definition.define(PENDING_READS, ConfigDef.Type.BOOLEAN, false, ConfigDef.Importance.MEDIUM, PENDING_READS_DOC);
    }

    static boolean pendingReads(KafkaConfig config) {
        return config.getBoolean(PENDING_READS);
    }
}
