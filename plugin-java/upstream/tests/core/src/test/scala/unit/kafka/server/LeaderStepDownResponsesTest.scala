package kafka.server

import org.apache.kafka.common.errors.NotLeaderOrFollowerException
import org.apache.kafka.common.protocol.Errors
import org.apache.kafka.server.config.ReplicationConfigs
import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.{CsvSource, ValueSource}

import scala.collection.mutable.ArrayBuffer

class LeaderStepDownResponsesTest extends AbstractLeaderStepDownTest {
  @Test
  def testLeadershipIsOverAsSoonAsTheControllerHasAnswered(): Unit = {
    val partition = answeredStepDown(Errors.NEW_LEADER_ELECTED)
    assertEquals(1, replicaManager.leaderStepDownRate.count)
    assertThrows(classOf[NotLeaderOrFollowerException], () => append(0))
    assertEquals((true, Errors.NOT_LEADER_OR_FOLLOWER), partition.checkEnoughReplicasReachOffset(10))

    makeLeader(partition, epoch + 1)
    append(0)
    assertEquals((false, Errors.NONE), partition.checkEnoughReplicasReachOffset(11))
  }

  @Test
  def testControllerThatTakesOnlyTheOrderIsAskedToFenceThisBroker(): Unit = {
    val wishes = ArrayBuffer[Boolean]()
    val partition = answeredStepDown(Errors.NONE)
    replicaManager.leaderStepDown.wantFence = wishes += _
    pass(tickMs)
    assertEquals(Seq(true), wishes)

    ledByFollower()
    pass(10 * processTimeMaxMs)
    assertEquals(1, replicaManager.leaderStepDownRate.count)
    assertEquals(0, replicaManager.failedLeaderStepDownRate.count)
    assertEquals(Seq(true), wishes, "it has not become a follower")

    partition.makeFollower(registration(epoch + 1, follower), isNew = false, noCheckpoints, Some(topicId))
    pass(2 * processTimeMaxMs)
    assertEquals(Seq(true, false), wishes)
  }

  @Test
  def testOnlyAlterPartition(): Unit = {
    start(ReplicationConfigs.LEADER_RELINQUISH_VIA_CONFIG -> "alter-partition")
    lead(0)
    beSlow(0)
    channel.answer(0, alterPartitionResponse(Errors.NONE))
    assertEquals(1, channel.sent.size)
    assertEquals(1, replicaManager.failedLeaderStepDownRate.count)
  }

  @Test
  def testOnlyFencing(): Unit = {
    start(ReplicationConfigs.LEADER_RELINQUISH_VIA_CONFIG -> "fence")
    lead(0)
    beSlow(0)
    assertEquals(0, channel.sent.size)
    assertTrue(replicaManager.leaderStepDown.running.fencing.isWanted)
  }

  @ParameterizedTest
  @CsvSource(Array("INVALID_UPDATE_VERSION", "INELIGIBLE_REPLICA", "UNKNOWN_TOPIC_ID"))
  def testRefusedRequestIsRepeatedLater(error: Errors): Unit = {
    answeredStepDown(error)
    assertEquals(1, replicaManager.failedLeaderStepDownRate.count)
    pass(processTimeMaxMs)
    assertEquals(1, channel.sent.size)
    pass(2 * tickMs)
    assertEquals(2, channel.sent.size)
  }

  /** The first response may be lost; the controller then answers the repeated request that the epoch is old. */
  @ParameterizedTest
  @ValueSource(booleans = Array(true, false))
  def testMetadataOverrulesAResponse(ledElsewhere: Boolean): Unit = {
    answeredStepDown(Errors.FENCED_LEADER_EPOCH)
    if (ledElsewhere) ledByFollower()
    pass(6000)
    assertEquals(if (ledElsewhere) 1 else 0, replicaManager.leaderStepDownRate.count)
    assertEquals(if (ledElsewhere) 0 else 1, replicaManager.failedLeaderStepDownRate.count)
  }
}
