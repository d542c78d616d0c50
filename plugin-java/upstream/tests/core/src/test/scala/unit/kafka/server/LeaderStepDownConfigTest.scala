package kafka.server

import org.apache.kafka.common.config.ConfigException
import org.apache.kafka.server.config.ReplicationConfigs
import org.apache.kafka.server.replica.stepdown.LeaderStepDownConfig
import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource

class LeaderStepDownConfigTest extends AbstractLeaderStepDownTest {
  @Test
  def testUpdatesOfTheConfigsStartAndStopTheThread(): Unit = {
    start()
    val stepDown = replicaManager.leaderStepDown
    stepDown.running = null
    stepDown.configure(config())
    assertFalse(stepDown.isOn)
    assertNull(stepDown.fetcher(follower).sending())

    stepDown.configure(config(on: _*))
    val thread = stepDown.running.thread
    assertTrue(stepDown.isOn && thread.isAlive)
    assertNotNull(stepDown.fetcher(follower).sending())
    stepDown.configure(config(on :+ (ReplicationConfigs.LEADER_RELINQUISH_COOLDOWN_MS_CONFIG -> "7"): _*))
    assertSame(thread, stepDown.running.thread)
    assertEquals(7000000L, stepDown.running.settings.cooldownNanos)

    stepDown.configure(config())
    assertFalse(stepDown.isOn)
    thread.join(10000) // shutdown() returns when the thread has begun to end
    assertFalse(thread.isAlive)
  }

  @Test
  def testDefaults(): Unit = {
    assertTrue(LeaderStepDownConfig.settings(config()).isEmpty)
    val settings = LeaderStepDownConfig.settings(config(on: _*)).get
    assertEquals("AUTO", settings.via.name)
    assertEquals("LEAVE", settings.exLeader.name)
    assertEquals(300000000000L, settings.cooldownNanos)
  }

  @ParameterizedTest
  @CsvSource(Array(
    "leader.fetch.process.time.max.ms,0",
    "leader.fetch.process.time.max.ms,-2",
    "follower.fetch.pending.reads.insync.enable,false",
    "insync.relinquish.via,vote",
    "insync.relinquish.isr,stay",
    "insync.relinquish.cooldown.ms,-1"))
  def testInvalidConfigs(name: String, value: String): Unit = {
    assertThrows(classOf[ConfigException], () => config(on :+ (name -> value): _*))
  }
}
