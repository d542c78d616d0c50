package org.apache.kafka.server.replica.stepdown;

import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.server.config.ReplicationConfigs;

import java.util.Locale;
import java.util.Optional;

/** Reads and checks the configs of a leader that steps down. */
public final class LeaderStepDownConfig {

    private LeaderStepDownConfig() { }

    /** Returns the settings, or nothing if leaders do not step down. */
    public static Optional<StepDownSettings> settings(AbstractConfig config) {
        long processTimeMaxMs = config.getLong(ReplicationConfigs.LEADER_FETCH_PROCESS_TIME_MAX_MS_CONFIG);
        return processTimeMaxMs < 0 ? Optional.empty() : Optional.of(
            StepDownSettings.of(processTimeMaxMs, config.getInt(ReplicationConfigs.REPLICA_FETCH_WAIT_MAX_MS_CONFIG))
                .appends(false)
                .via(StepDownSettings.Via.valueOf(word(config, ReplicationConfigs.LEADER_RELINQUISH_VIA_CONFIG)))
                .exLeader(StepDownSettings.ExLeader.valueOf(word(config, ReplicationConfigs.LEADER_RELINQUISH_ISR_CONFIG)))
                .cooldownMs(config.getLong(ReplicationConfigs.LEADER_RELINQUISH_COOLDOWN_MS_CONFIG))
                .build());
    }

    /**
     * Checks the configs against each other.
     *
     * @throws ConfigException with the config, its value and what was expected
     */
    public static void validate(AbstractConfig config) {
        String name = ReplicationConfigs.LEADER_FETCH_PROCESS_TIME_MAX_MS_CONFIG;
        long value = config.getLong(name);
        try {
            if (settings(config).isPresent() && !config.getBoolean(ReplicationConfigs.PENDING_READS_INSYNC_ENABLE_CONFIG)) {
                throw new ConfigException(name, value, "expected -1, or " + ReplicationConfigs.PENDING_READS_INSYNC_ENABLE_CONFIG
                    + "=true: a leader that removes its followers while it is slow has no successor");
            }
        } catch (IllegalArgumentException invalid) {
            throw new ConfigException(name, value, invalid.getMessage());
        }
    }

    private static String word(AbstractConfig config, String name) {
        return config.getString(name).toUpperCase(Locale.ROOT).replace('-', '_');
    }
}
