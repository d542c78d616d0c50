package kafka.cluster

import org.apache.kafka.common.compress.Compression
import org.apache.kafka.common.record.internal.{MemoryRecords, SimpleRecord}
import org.apache.kafka.common.requests.FetchRequest
import org.apache.kafka.common.{DirectoryId, Uuid}
import org.apache.kafka.metadata.{LeaderRecoveryState, PartitionRegistration}
import org.apache.kafka.server.common.RequestLocal
import org.apache.kafka.server.storage.log.{FetchIsolation, FetchParams}
import org.apache.kafka.storage.internals.log.{AppendOrigin, LogStartOffsetIncrementReason, UnifiedLog}
import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.Test
import org.mockito.Mockito.{doAnswer, spy}

import java.util.Optional

class PartitionLogStartOffsetTest extends AbstractPartitionTest {

  /** The high watermark and then the log start offset move to 20 just after the leader has read one of them (KAFKA-7104). */
  @Test
  def testLogStartOffsetOfAResponseIsNotAboveItsHighWatermark(): Unit = {
    lead()
    append(20)
    val log = spy(partition.localLogOrException)
    log.updateHighWatermark(10)
    partition.setLog(log, isFutureLog = false)
    var hasMoved = false
    doAnswer { invocation =>
      val highWatermark = invocation.callRealMethod()
      moveOnce(log)
      highWatermark
    }.when(log).highWatermark

    def moveOnce(log: UnifiedLog): Unit = if (!hasMoved) {
      hasMoved = true
      log.updateHighWatermark(20)
      log.maybeIncrementLogStartOffset(20, LogStartOffsetIncrementReason.ClientRecordDeletion)
    }

    val read = fetch(20)
    assertEquals(10, read.highWatermark, "it moved just after this was read")
    assertEquals(20, log.logStartOffset)
    assertTrue(read.logStartOffset <= read.highWatermark, s"${read.logStartOffset} is above ${read.highWatermark}")
  }

  private def lead(): Unit = {
    val replicas = Array(brokerId, remoteReplicaId)
    val registration = new PartitionRegistration.Builder().setReplicas(replicas).setIsr(replicas).setLeader(brokerId)
      .setDirectories(DirectoryId.unassignedArray(replicas.length)).setLeaderRecoveryState(LeaderRecoveryState.RECOVERED)
      .setLeaderEpoch(0).setPartitionEpoch(0).build()
    partition.makeLeader(registration, isNew = true, offsetCheckpoints, topicId)
  }

  private def append(count: Int): Unit = {
    val records = MemoryRecords.withRecords(Compression.NONE,
      (1 to count).map(i => new SimpleRecord(s"record-$i".getBytes)): _*)
    partition.appendRecordsToLeader(records, AppendOrigin.CLIENT, 0, RequestLocal.withThreadConfinedCaching)
  }

  private def fetch(offset: Long) = {
    val params = new FetchParams(remoteReplicaId, defaultBrokerEpoch(remoteReplicaId), 500, 1, 1 << 20,
      FetchIsolation.LOG_END, Optional.empty())
    val data = new FetchRequest.PartitionData(topicId.getOrElse(Uuid.ZERO_UUID), offset, 0, 1 << 20, Optional.of[Integer](0))
    partition.fetchRecords(params, data, time.milliseconds, 1 << 20, minOneMessage = true, updateFetchState = false)
  }
}
