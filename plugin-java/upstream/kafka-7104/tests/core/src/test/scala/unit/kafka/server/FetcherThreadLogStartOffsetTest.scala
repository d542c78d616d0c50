package kafka.server

import kafka.cluster.Partition
import kafka.utils.TestUtils
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.message.FetchResponseData
import org.apache.kafka.common.record.internal.MemoryRecords
import org.apache.kafka.server.LeaderEndPoint
import org.apache.kafka.server.network.BrokerEndPoint
import org.apache.kafka.storage.internals.log.{LogStartOffsetIncrementReason, UnifiedLog}
import org.apache.kafka.storage.log.metrics.BrokerTopicStats
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import org.mockito.ArgumentMatchers.{any, anyBoolean, anyInt, anyLong}
import org.mockito.Mockito.{mock, verify, when}

import java.util.Optional

/** How far a log start offset in a leader's response moves a follower whose log ends at 10 (KAFKA-7104). */
class FetcherThreadLogStartOffsetTest {
  private val topicPartition = new TopicPartition("events", 0)
  private val log = mock(classOf[UnifiedLog])
  private val partition = mock(classOf[Partition])
  private val replicaManager = mock(classOf[ReplicaManager])
  private val leader = mock(classOf[LeaderEndPoint])

  @ParameterizedTest
  @CsvSource(Array("20,8,8", "5,8,5"))
  def testFollower(leaders: Long, highWatermark: Long, expected: Long): Unit = {
    val config = setup(highWatermark)
    val thread = new ReplicaFetcherThread("follower", leader, config, new FailedPartitions, replicaManager,
      QuotaFactory.UNBOUNDED_QUOTA, "")
    thread.processPartitionData(topicPartition, 10, 1, response(leaders))
    verify(log).maybeIncrementLogStartOffset(expected, LogStartOffsetIncrementReason.LeaderOffsetIncremented)
  }

  private def setup(highWatermark: Long): KafkaConfig = {
    val config = KafkaConfig.fromProps(TestUtils.createBrokerConfig(1))
    when(log.logEndOffset).thenReturn(10L)
    when(log.highWatermark).thenReturn(highWatermark)
    when(log.maybeUpdateHighWatermark(anyLong)).thenReturn(Optional.empty)
    when(partition.localLogOrException).thenReturn(log)
    when(partition.appendRecordsToFollowerOrFutureReplica(any(), anyBoolean, anyInt)).thenReturn(None)
    when(replicaManager.config).thenReturn(config)
    when(replicaManager.getPartitionOrException(topicPartition)).thenReturn(partition)
    when(replicaManager.brokerTopicStats).thenReturn(mock(classOf[BrokerTopicStats]))
    when(leader.brokerEndPoint).thenReturn(new BrokerEndPoint(2, "localhost", 9092))
    config
  }

  private def response(logStartOffset: Long): FetchResponseData.PartitionData =
    new FetchResponseData.PartitionData().setPartitionIndex(0).setLogStartOffset(logStartOffset).setHighWatermark(8)
      .setRecords(MemoryRecords.EMPTY)
}
