package kafka.server

import kafka.utils.TestUtils
import org.apache.kafka.common.errors.NotLeaderOrFollowerException
import org.apache.kafka.common.protocol.Errors
import org.apache.kafka.common.requests._
import org.apache.kafka.server.config.ReplicationConfigs
import org.apache.kafka.server.purgatory.TopicPartitionOperationKey
import org.apache.kafka.server.replica.stepdown.{Reason, RelinquishTag}
import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.mockito.ArgumentMatchers.{any, anyBoolean, anyInt, anyLong}
import org.mockito.Mockito.{doAnswer, spy, when}

import java.util.concurrent.CountDownLatch
import scala.jdk.CollectionConverters._

class LeaderStepDownTest extends AbstractLeaderStepDownTest {
  @Test
  def testSlowLeaderRequestsTheIsrWithItselfLast(): Unit = {
    start()
    lead(0)
    fetch(0)
    pass(fetchWaitMs + processTimeMaxMs)
    assertEquals(0, channel.sent.size, "the fetch may wait for records, and then be processed for the limit")

    pass(tickMs)
    val asked = alterPartitionData(0)
    assertEquals(Seq(follower, 3, leader), members(asked))
    assertEquals(epoch, asked.leaderEpoch)
    assertEquals(partitionEpoch, asked.partitionEpoch)
    assertEquals(1L, asked.newIsrWithEpochs.get(0).brokerEpoch, "the broker epoch of the follower's last fetch")
    val tag = asked.newIsrWithEpochs.get(2).unknownTaggedFields.get(0)
    assertEquals(RelinquishTag.TAG, tag.tag)
    assertEquals(Reason.SLOW_FETCH, RelinquishTag.decode(tag.data).reason)
    assertFalse(RelinquishTag.decode(tag.data).leaves)

    pass(10 * tickMs)
    assertEquals(1, channel.sent.size, "the response is awaited")
  }

  @Test
  def testFirstFetchesMayTakeLonger(): Unit = {
    start()
    leadCold(0)
    fetch(0)
    pass(fetchWaitMs + processTimeMaxMs + firstFetchMoreMs)
    assertEquals(0, channel.sent.size)

    pass(tickMs)
    assertEquals(1, channel.sent.size)
  }

  @Test
  def testLeaderLeavesTheIsrIfConfigured(): Unit = {
    start(ReplicationConfigs.LEADER_RELINQUISH_ISR_CONFIG -> "leave")
    lead(0)
    beSlow(0)
    val tag = alterPartitionData(0).newIsrWithEpochs.get(2).unknownTaggedFields.get(0)
    assertTrue(RelinquishTag.decode(tag.data).leaves)
  }

  @Test
  def testFetchThatIsAnsweredInTimeIsNotSlow(): Unit = {
    start()
    lead(0)
    fetch(0)
    pass(fetchWaitMs + processTimeMaxMs)
    append(0)
    replicaManager.delayedFetchPurgatory.checkAndComplete(new TopicPartitionOperationKey(topicPartition(0)))
    pass(10 * tickMs)
    assertEquals(0, channel.sent.size)
  }

  @Test
  def testOneRequestForAllPartitions(): Unit = {
    start()
    lead(0)
    lead(1)
    beSlow(0, 1)
    assertEquals(1, channel.sent.size)
    val topic = channel.request[AlterPartitionRequest](0).data.topics.get(0)
    assertEquals(Set(0, 1), topic.partitions.asScala.map(_.partitionIndex).toSet)
  }

  @Test
  def testChangesWaitForARequestInFlight(): Unit = {
    start()
    lead(0)
    lead(1)
    beSlow(0)
    beSlow(1)
    assertEquals(1, channel.sent.size)
    channel.answer(0, alterPartitionResponse(Errors.NEW_LEADER_ELECTED))
    assertEquals(2, channel.sent.size)
  }

  @ParameterizedTest
  @ValueSource(booleans = Array(true, false))
  def testNoLiveSuccessor(shuttingDown: Boolean): Unit = {
    start()
    lead(0)
    if (shuttingDown)
      when(metadataCache.isBrokerShuttingDown(anyInt)).thenReturn(true)
    else
      alive(leader)
    beSlow(0)
    assertEquals(0, channel.sent.size)
  }

  @Test
  def testSlowPeersKeepTheirLeader(): Unit = {
    start()
    lead(0)
    Seq(follower, 3).foreach(peer => replicaManager.leaderStepDown.fetcher(peer).sending())
    beSlow(0)
    assertEquals(0, channel.sent.size)
  }

  @Test
  def testPartitionThatCameFromAnotherLeaderIsKept(): Unit = {
    start()
    pass(tickMs)
    lead(0)
    beSlow(0)
    assertEquals(0, channel.sent.size)
  }

  /** A stalled read has the lock that this broker needs to become a follower. */
  @ParameterizedTest
  @ValueSource(booleans = Array(true, false))
  def testClientsLearnOfTheNewLeaderDuringAStalledRead(enabled: Boolean): Unit = {
    start()
    if (!enabled)
      replicaManager.leaderStepDown.running = null
    val partition = lead(0)
    append(0)
    val reading = new CountDownLatch(1)
    val stalled = new CountDownLatch(1)
    val log = spy(partition.log.get)
    doAnswer { invocation =>
      reading.countDown()
      stalled.await()
      invocation.callRealMethod()
    }.when(log).read(anyLong, anyInt, any(), anyBoolean)
    partition.log = Some(log)
    val reader = new Thread(() => fetch(0))
    val applier = new Thread(() => partition.makeFollower(registration(epoch + 1, follower), isNew = false, noCheckpoints, Some(topicId)))
    reader.start()
    reading.await()
    applier.start()
    TestUtils.waitUntilTrue(() => applier.getState == Thread.State.WAITING, "The lock was not waited for")
    assertEquals((enabled, if (enabled) Errors.NOT_LEADER_OR_FOLLOWER else Errors.NONE), partition.checkEnoughReplicasReachOffset(11))
    if (enabled)
      assertThrows(classOf[NotLeaderOrFollowerException], () => append(0))
    stalled.countDown()
    reader.join()
    applier.join()
    assertFalse(partition.isLeader)
  }
}
