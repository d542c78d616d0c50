package insync.agent.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import insync.agent.config.BrokerConfigs.Spelling;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which unknown names are taken for a misspelled config of the agent. */
class SpellingTest {
    private static final List<String> KNOWN = List.of("follower.fetch.pending.reads.insync.enable",
        "leader.fetch.process.time.max.ms", "insync.lab.lag.policy");

    @ParameterizedTest
    @CsvSource({
        "follower.fetch.pending.read.insync.enable, follower.fetch.pending.reads.insync.enable",
        "folower.fetch.pending.reads.insync.enabled, follower.fetch.pending.reads.insync.enable",
        "follower.fetch.pending.reads.in.sync.enable, follower.fetch.pending.reads.insync.enable",
        "leader.fetch.process.max.time.ms,",
        "leader.fetch.process.time.ms, leader.fetch.process.time.max.ms",
        "insync.lab.lag.polcy, insync.lab.lag.policy",
        "replica.lag.max.messages,",
        "my.own.reporter.setting,",
    })
    void theNearestNameIsFoundIfItIsNear(String given, String meant) {
        assertEquals(meant, Spelling.nearest(given, KNOWN));
    }
}
