package kafka.cluster

import org.apache.kafka.common.compress.Compression
import org.apache.kafka.common.record.internal.{MemoryRecords, SimpleRecord}
import org.apache.kafka.common.requests.FetchRequest
import org.apache.kafka.common.{DirectoryId, Uuid}
import org.apache.kafka.metadata.{LeaderRecoveryState, PartitionRegistration}
import org.apache.kafka.server.common.RequestLocal
import org.apache.kafka.server.replica.PendingFetch
import org.apache.kafka.server.storage.log.{FetchIsolation, FetchParams}
import org.apache.kafka.storage.internals.log.AppendOrigin
import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource

import java.util.Optional

class PartitionPendingFetchTest extends AbstractPartitionTest {
  private val leaderEpoch = 5
  private val lagMs = 30000L

  @ParameterizedTest
  @ValueSource(booleans = Array(true, false))
  def testFollowerStaysInSyncWhileItsFetchIsPending(enabled: Boolean): Unit = {
    lead(leaderEpoch)
    append(10)
    fetch(0)
    fetch(10)
    append(10)
    val pending = if (enabled) begin(10) else None

    time.sleep(lagMs + 1)
    assertEquals(outOfSyncUnless(enabled), partition.getOutOfSyncReplicas(lagMs))

    fetch(10)
    pending.foreach(_.complete(time.milliseconds))
    append(10)
    time.sleep(lagMs)
    assertEquals(outOfSyncUnless(enabled), partition.getOutOfSyncReplicas(lagMs), "caught up as of its completion")
    time.sleep(1)
    assertEquals(Set(remoteReplicaId), partition.getOutOfSyncReplicas(lagMs))
  }

  @Test
  def testFollowerThatIsBehindIsOutOfSync(): Unit = {
    lead(leaderEpoch)
    append(10)
    fetch(0)
    append(10)
    assertEquals(None, begin(5))
    time.sleep(lagMs + 1)
    assertEquals(Set(remoteReplicaId), partition.getOutOfSyncReplicas(lagMs))
  }

  @Test
  def testElectionClearsPendingFetches(): Unit = {
    lead(leaderEpoch)
    append(10)
    val pending = begin(0)
    lead(leaderEpoch + 1)
    append(10)
    time.sleep(lagMs + 1)
    assertEquals(Set(remoteReplicaId), partition.getOutOfSyncReplicas(lagMs))
    pending.get.complete(time.milliseconds)
    assertEquals(Set(remoteReplicaId), partition.getOutOfSyncReplicas(lagMs), "nor does its completion count")
  }

  @Test
  def testFetchOfAnotherLeaderEpochIsNotPending(): Unit = {
    lead(leaderEpoch)
    assertEquals(None, begin(0, Optional.of(leaderEpoch - 1)))
    assertTrue(begin(0, Optional.empty()).isDefined)
  }

  @Test
  def testFetchFromAFollowerIsNotPending(): Unit = {
    lead(leaderEpoch)
    partition.makeFollower(registration(leaderEpoch + 1, remoteReplicaId), isNew = false, offsetCheckpoints, topicId)
    assertEquals(None, begin(0, Optional.of(leaderEpoch + 1)))
  }

  private def outOfSyncUnless(inSync: Boolean): Set[Int] = if (inSync) Set() else Set(remoteReplicaId)

  private def lead(epoch: Int): Unit =
    partition.makeLeader(registration(epoch, brokerId), isNew = epoch == leaderEpoch, offsetCheckpoints, topicId)

  private def registration(epoch: Int, leader: Int): PartitionRegistration = {
    val replicas = Array(brokerId, remoteReplicaId)
    new PartitionRegistration.Builder().setReplicas(replicas).setIsr(replicas).setLeader(leader)
      .setDirectories(DirectoryId.unassignedArray(replicas.length)).setLeaderRecoveryState(LeaderRecoveryState.RECOVERED)
      .setLeaderEpoch(epoch).setPartitionEpoch(epoch).build()
  }

  private def append(count: Int): Unit = {
    val records = MemoryRecords.withRecords(Compression.NONE,
      (1 to count).map(i => new SimpleRecord(s"record-$i".getBytes)): _*)
    partition.appendRecordsToLeader(records, AppendOrigin.CLIENT, 0, RequestLocal.withThreadConfinedCaching)
  }

  private def begin(offset: Long, epoch: Optional[Integer] = Optional.of(leaderEpoch)): Option[PendingFetch] =
    partition.maybeBeginFollowerFetch(params, fetchData(offset, epoch))

  private def params = new FetchParams(remoteReplicaId, defaultBrokerEpoch(remoteReplicaId), 500, 1, 1 << 20,
    FetchIsolation.LOG_END, Optional.empty())

  private def fetch(offset: Long): Unit = {
    partition.fetchRecords(params, fetchData(offset, Optional.of(leaderEpoch)), time.milliseconds, 1 << 20,
      minOneMessage = true, updateFetchState = true)
  }

  private def fetchData(offset: Long, epoch: Optional[Integer]): FetchRequest.PartitionData =
    new FetchRequest.PartitionData(topicId.getOrElse(Uuid.ZERO_UUID), offset, 0, 1 << 20, epoch)
}
