package kafka.server

import org.apache.kafka.common.errors.NotLeaderOrFollowerException
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData.{OngoingPartitionReassignment, OngoingTopicReassignment}
import org.apache.kafka.common.message.{AlterPartitionReassignmentsResponseData, ElectLeadersResponseData, ListPartitionReassignmentsResponseData}
import org.apache.kafka.common.protocol.{ApiKeys, Errors}
import org.apache.kafka.common.requests._
import org.apache.kafka.common.ElectionType
import org.apache.kafka.server.config.ReplicationConfigs
import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.{CsvSource, ValueSource}

import java.util
import scala.jdk.CollectionConverters._

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
  def testControllerThatTakesOnlyTheOrderIsAskedForAnElection(): Unit = {
    answeredStepDown(Errors.NONE)
    assertEquals(Seq(0), channel.request[ListPartitionReassignmentsRequest](1).data.topics.get(0).partitionIndexes.asScala.map(_.toInt).toSeq)

    channel.answer(1, new ListPartitionReassignmentsResponse(new ListPartitionReassignmentsResponseData))
    val reassigned = channel.request[AlterPartitionReassignmentsRequest](2).data.topics.get(0).partitions.get(0)
    assertEquals(Seq(follower, 3, leader), reassigned.replicas.asScala.map(_.toInt).toSeq)

    channel.answer(2, new AlterPartitionReassignmentsResponse(new AlterPartitionReassignmentsResponseData))
    val election = channel.request[ElectLeadersRequest](3).data
    assertEquals(ElectionType.PREFERRED.value, election.electionType)
    assertEquals(util.List.of(0), election.topicPartitions.find("events").partitions)

    channel.answer(3, new ElectLeadersResponse(new ElectLeadersResponseData))
    assertEquals(1, replicaManager.leaderStepDownRate.count)
    assertEquals(0, replicaManager.failedLeaderStepDownRate.count)
  }

  @Test
  def testReassignmentUnderWayIsNotReplaced(): Unit = {
    answeredStepDown(Errors.NONE)
    val ongoing = new OngoingTopicReassignment().setName("events")
      .setPartitions(util.List.of(new OngoingPartitionReassignment().setPartitionIndex(0)))
    channel.answer(1, new ListPartitionReassignmentsResponse(new ListPartitionReassignmentsResponseData().setTopics(util.List.of(ongoing))))
    assertEquals(2, channel.sent.size)
    assertEquals(1, replicaManager.failedLeaderStepDownRate.count)
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
  def testOnlyReassignment(): Unit = {
    start(ReplicationConfigs.LEADER_RELINQUISH_VIA_CONFIG -> "reassign")
    lead(0)
    beSlow(0)
    assertEquals(Seq(leader, follower, 3), members(alterPartitionData(0)), "fences the partition's epoch and changes nothing")
    channel.answer(0, alterPartitionResponse(Errors.NONE))
    assertEquals(ApiKeys.LIST_PARTITION_REASSIGNMENTS, channel.sent(1)._1.apiKey)
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
