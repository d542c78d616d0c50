package kafka.server

import kafka.server.QuotaFactory.UNBOUNDED_QUOTA
import kafka.utils.TestUtils
import org.apache.kafka.common.compress.Compression
import org.apache.kafka.common.metrics.Metrics
import org.apache.kafka.common.protocol.Errors
import org.apache.kafka.common.record.internal.{MemoryRecords, SimpleRecord}
import org.apache.kafka.common.requests.FetchRequest
import org.apache.kafka.common.utils.Utils
import org.apache.kafka.common.{DirectoryId, TopicIdPartition, TopicPartition, Uuid}
import org.apache.kafka.metadata.{LeaderRecoveryState, MetadataCache, PartitionRegistration}
import org.apache.kafka.server.common.RequestLocal
import org.apache.kafka.server.config.ReplicationConfigs
import org.apache.kafka.server.purgatory.TopicPartitionOperationKey
import org.apache.kafka.server.storage.log.{FetchIsolation, FetchParams, FetchPartitionData}
import org.apache.kafka.server.util.MockTime
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpoints
import org.apache.kafka.storage.internals.log.{AppendOrigin, LogDirFailureChannel}
import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.{AfterEach, Test}
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.mockito.ArgumentMatchers.anyInt
import org.mockito.Mockito.{mock, when}

import java.io.File
import java.util.{Optional, Properties}
import scala.collection.Seq
import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

class ReplicaManagerPendingFetchTest {
  private val leader = 1
  private val follower = 2
  private val topicPartition = new TopicPartition("events", 0)
  private val topicId = Uuid.randomUuid()
  private val time = new MockTime
  private val metrics = new Metrics
  private val responses = ArrayBuffer.empty[Seq[(TopicIdPartition, FetchPartitionData)]]
  private var replicaManager: ReplicaManager = _

  @AfterEach
  def tearDown(): Unit = {
    if (replicaManager != null) {
      replicaManager.shutdown(checkpointHW = false)
      replicaManager.logManager.liveLogDirs.foreach(dir => Utils.delete(dir))
    }
    metrics.close()
  }

  /** The fetch completes in the purgatory, long after fetchMessages has returned. */
  @ParameterizedTest
  @ValueSource(booleans = Array(true, false))
  def testFetchIsPendingUntilItsResponseCallback(enabled: Boolean): Unit = {
    start(enabled)
    append(10)
    fetch(10)
    append(10)
    time.sleep(lagMs + 1)
    assertEquals(0, responses.size)
    assertInSync(enabled)

    complete()
    assertEquals(1, responses.size)
    time.sleep(lagMs)
    assertInSync(enabled, "caught up at completion")
    time.sleep(1)
    assertInSync(expected = false)
  }

  @Test
  def testFetchThatIsAnsweredAtOnceIsNotPending(): Unit = {
    start(enabled = true)
    append(10)
    fetch(0)
    assertEquals(1, responses.size)
    time.sleep(lagMs + 1)
    assertInSync(expected = false)
  }

  @Test
  def testFetchWhoseCallbackFailsIsNotPending(): Unit = {
    start(enabled = true)
    append(10)
    assertThrows(classOf[IllegalStateException], () => fetch(0, _ => throw new IllegalStateException("callback")))
    time.sleep(lagMs + 1)
    assertInSync(expected = false)
  }

  @Test
  def testFetchWhoseReadFailsIsNotPending(): Unit = {
    start(enabled = true)
    append(10)
    fetch(0, epoch = 4)
    assertEquals(Errors.FENCED_LEADER_EPOCH, responses.head.head._2.error)
    time.sleep(lagMs + 1)
    assertInSync(expected = false)
  }

  @Test
  def testConsumersFetchIsNotPending(): Unit = {
    start(enabled = true)
    append(10)
    fetch(10, replicaId = FetchRequest.CONSUMER_REPLICA_ID)
    assertEquals(0, responses.size)
    time.sleep(lagMs + 1)
    assertInSync(expected = false)
  }

  @Test
  def testPendingFetchKeepsItsFollowerInSyncWhenTheConfigIsTurnedOff(): Unit = {
    start(enabled = true)
    append(10)
    fetch(10)
    append(10)
    setEnabled(false)
    time.sleep(lagMs + 1)
    assertInSync(expected = true)
    complete()
    time.sleep(lagMs + 1)
    assertInSync(expected = false)

    fetch(20)
    append(10)
    time.sleep(lagMs + 1)
    assertInSync(expected = false, "the next fetch is not marked")
  }

  @Test
  def testDefault(): Unit = {
    assertFalse(KafkaConfig.fromProps(TestUtils.createBrokerConfig(leader)).followerFetchPendingReadsInsyncEnable)
  }

  private def lagMs: Long = replicaManager.config.replicaLagTimeMaxMs

  private def partition = replicaManager.onlinePartition(topicPartition).get

  private def assertInSync(expected: Boolean, message: String = ""): Unit =
    assertEquals(if (expected) Set() else Set(follower), partition.getOutOfSyncReplicas(lagMs), message)

  private def setEnabled(enabled: Boolean): Unit = {
    val props = new Properties
    props.put(ReplicationConfigs.FOLLOWER_FETCH_PENDING_READS_INSYNC_ENABLE_CONFIG, enabled.toString)
    replicaManager.config.dynamicConfig.updateDefaultConfig(props)
  }

  private def start(enabled: Boolean): Unit = {
    val props = TestUtils.createBrokerConfig(leader)
    props.put(ReplicationConfigs.FOLLOWER_FETCH_PENDING_READS_INSYNC_ENABLE_CONFIG, enabled.toString)
    val config = KafkaConfig.fromProps(props)
    config.dynamicConfig.initialize(None)
    val metadataCache = mock(classOf[MetadataCache])
    when(metadataCache.getAliveBrokerEpoch(anyInt)).thenReturn(Optional.of[java.lang.Long](1L))
    val logManager = TestUtils.createLogManager(config.logDirs.asScala.map(new File(_)), time = time)
    replicaManager = new ReplicaManager(config = config, metrics = metrics, time = time, scheduler = time.scheduler,
      logManager = logManager, quotaManagers = QuotaFactory.instantiate(config, metrics, time, "", ""),
      metadataCache = metadataCache, logDirFailureChannel = new LogDirFailureChannel(config.logDirs.size),
      alterPartitionManager = TestUtils.createAlterIsrManager())
    val replicas = Array(leader, follower)
    val registration = new PartitionRegistration.Builder().setReplicas(replicas).setIsr(replicas).setLeader(leader)
      .setDirectories(DirectoryId.unassignedArray(replicas.length)).setLeaderRecoveryState(LeaderRecoveryState.RECOVERED)
      .setLeaderEpoch(5).setPartitionEpoch(5).build()
    val noCheckpoints: OffsetCheckpoints = (_, _) => Optional.empty()
    replicaManager.createPartition(topicPartition).makeLeader(registration, isNew = true, noCheckpoints, Some(topicId))
  }

  private def append(count: Int): Unit = {
    val records = MemoryRecords.withRecords(Compression.NONE,
      (1 to count).map(i => new SimpleRecord(s"record-$i".getBytes)): _*)
    partition.appendRecordsToLeader(records, AppendOrigin.CLIENT, 0, RequestLocal.withThreadConfinedCaching)
  }

  private def fetch(offset: Long,
                    callback: Seq[(TopicIdPartition, FetchPartitionData)] => Unit = responses += _,
                    epoch: Int = 5,
                    replicaId: Int = follower): Unit = {
    val params = new FetchParams(replicaId, 1L, 30000, 1, 1 << 20, FetchIsolation.LOG_END, Optional.empty())
    val data = new FetchRequest.PartitionData(topicId, offset, 0, 1 << 20, Optional.of[Integer](epoch))
    replicaManager.fetchMessages(params, Seq(new TopicIdPartition(topicId, topicPartition) -> data), UNBOUNDED_QUOTA, callback)
  }

  /** Completes the fetches that wait for an append, as the last step of a produce request does. */
  private def complete(): Unit = {
    replicaManager.delayedFetchPurgatory.checkAndComplete(new TopicPartitionOperationKey(topicPartition))
  }
}
