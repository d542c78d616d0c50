package kafka.server

import kafka.cluster.Partition
import kafka.server.QuotaFactory.UNBOUNDED_QUOTA
import kafka.utils.TestUtils
import org.apache.kafka.common.compress.Compression
import org.apache.kafka.common.config.TopicConfig
import org.apache.kafka.common.metrics.Metrics
import org.apache.kafka.common.record.internal.{MemoryRecords, SimpleRecord}
import org.apache.kafka.common.requests.FetchRequest
import org.apache.kafka.common.utils.Utils
import org.apache.kafka.common.{DirectoryId, TopicIdPartition, TopicPartition, Uuid}
import org.apache.kafka.metadata.{LeaderAndIsr, LeaderRecoveryState, MetadataCache, PartitionRegistration}
import org.apache.kafka.server.common.RequestLocal
import org.apache.kafka.server.config.{ReplicationConfigs, ServerLogConfigs}
import org.apache.kafka.server.purgatory.TopicPartitionOperationKey
import org.apache.kafka.server.storage.log.{FetchIsolation, FetchParams}
import org.apache.kafka.server.util.MockTime
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpoints
import org.apache.kafka.storage.internals.log.{AppendOrigin, LogConfig, LogDirFailureChannel}
import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.{AfterEach, Test}
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.mockito.ArgumentMatchers.anyInt
import org.mockito.Mockito.{mock, when}

import java.io.File
import java.util
import java.util.{Optional, Properties}
import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

class SelfFencingThreadTest {
  private val leader = 1
  private val follower = 2
  private val replicas = Array(leader, follower, 3)
  private val epoch = 5
  // Longer than the test takes, because the purgatory has a timer of its own
  private val maxWaitMs = 60000L
  private val processTimeMaxMs = 2000L
  private val topicId = Uuid.randomUuid()
  private val time = new MockTime
  private val metrics = new Metrics
  private val metadataCache = mock(classOf[MetadataCache])
  private val noCheckpoints: OffsetCheckpoints = (_, _) => Optional.empty()
  private val wishes = ArrayBuffer.empty[Boolean]
  private var replicaManager: ReplicaManager = _
  private var thread: SelfFencingThread = _

  @AfterEach
  def tearDown(): Unit = {
    if (replicaManager != null) {
      replicaManager.shutdown(checkpointHW = false)
      replicaManager.logManager.liveLogDirs.foreach(dir => Utils.delete(dir))
    }
    metrics.close()
  }

  @Test
  def testBrokerWithASlowFetchAsksForFencing(): Unit = {
    start()
    lead(0)
    fetch(0)
    pass(maxWaitMs + processTimeMaxMs)
    assertEquals(Seq(), wishes)
    pass(1000)
    assertEquals(Seq(true), wishes)
    pass(1000)
    assertEquals(Seq(true), wishes, "it asks once")
  }

  @Test
  def testAnsweredFetchesAreNotSlow(): Unit = {
    start()
    lead(0)
    for (_ <- 1 to 10) {
      fetch(0)
      pass(1000)
      complete(0)
    }
    assertEquals(Seq(), wishes)
  }

  @Test
  def testPausesOfTheProcessAreNoSlowFetches(): Unit = {
    start()
    lead(0)
    for (_ <- 1 to 3) {
      fetch(0)
      time.sleep(maxWaitMs + 10000)
      thread.checkFetches()
      complete(0)
    }
    assertEquals(Seq(), wishes)
  }

  @Test
  def testFetchOfAFollowerOutsideTheIsrDoesNotCount(): Unit = {
    start()
    lead(0, isr = Seq(leader, 3))
    fetch(0)
    pass(maxWaitMs + 10000)
    assertEquals(Seq(), wishes)
  }

  @Test
  def testWithoutPendingReadsInsyncNoFetchIsWatched(): Unit = {
    start(ReplicationConfigs.FOLLOWER_FETCH_PENDING_READS_INSYNC_ENABLE_CONFIG -> "false")
    lead(0)
    fetch(0)
    pass(maxWaitMs + 10000)
    assertEquals(Seq(), wishes)
  }

  @Test
  def testItAsksUntilNoFetchIsSlowForAsLongAsTheLimit(): Unit = {
    start()
    lead(0)
    beSlow(0)
    pass(processTimeMaxMs * 2)
    complete(0)
    pass(processTimeMaxMs - 500)
    assertEquals(Seq(true), wishes)
    pass(1000)
    assertEquals(Seq(true, false), wishes)
  }

  @Test
  def testItAsksUntilTheNewLeaderIsApplied(): Unit = {
    start()
    val partition = lead(0)
    beSlow(0)
    inMetadata(0, leader = follower, epoch + 1, Seq(follower, 3))
    complete(0)
    pass(maxWaitMs + 10000)
    assertEquals(Seq(true), wishes, "a read that hangs keeps makeFollower waiting")
    partition.makeFollower(registration(follower, epoch + 1, Seq(follower, 3)), isNew = false, noCheckpoints, Some(topicId))
    pass(processTimeMaxMs + 500)
    assertEquals(Seq(true, false), wishes)
  }

  @Test
  def testItDoesNotAskIfAPartitionWouldFallBelowMinIsr(): Unit = {
    start(ServerLogConfigs.MIN_IN_SYNC_REPLICAS_CONFIG -> "2")
    lead(0)
    lead(1, isr = Seq(leader, follower))
    fetch(0)
    pass(maxWaitMs + 10000)
    assertEquals(Seq(), wishes)
    inMetadata(1, leader, epoch, Seq(leader, follower, 3))
    pass(1000)
    assertEquals(Seq(true), wishes)
  }

  @Test
  def testPartitionWithASlowFetchMayFallBelowMinIsr(): Unit = {
    start(ServerLogConfigs.MIN_IN_SYNC_REPLICAS_CONFIG -> "2")
    lead(0, isr = Seq(leader, follower))
    beSlow(0)
    assertEquals(Seq(true), wishes)
  }

  @Test
  def testPartitionThatIsBelowMinIsrAnywayDoesNotCount(): Unit = {
    start(ServerLogConfigs.MIN_IN_SYNC_REPLICAS_CONFIG -> "3")
    lead(0)
    lead(1, isr = Seq(leader, follower))
    beSlow(0)
    assertEquals(Seq(true), wishes)
  }

  @ParameterizedTest
  @ValueSource(strings = Array("1", "2"))
  def testItDoesNotAskIfAPartitionWouldHaveNoLeader(minIsr: String): Unit = {
    start(ServerLogConfigs.MIN_IN_SYNC_REPLICAS_CONFIG -> minIsr)
    lead(0)
    lead(1, isr = Seq(leader))
    fetch(0)
    pass(maxWaitMs + 10000)
    assertEquals(Seq(), wishes)
  }

  @Test
  def testMinIsrIsAtMostTheNumberOfReplicas(): Unit = {
    start(ServerLogConfigs.MIN_IN_SYNC_REPLICAS_CONFIG -> "3")
    lead(0)
    lead(1, isr = Seq(leader, follower), assigned = Array(leader, follower))
    fetch(0)
    pass(maxWaitMs + 10000)
    assertEquals(Seq(), wishes)
  }

  @Test
  def testItDoesNotAskIfMostOtherBrokersAreDead(): Unit = {
    start()
    lead(0)
    alive(leader)
    fetch(0)
    pass(maxWaitMs + 10000)
    assertEquals(Seq(), wishes)
    alive(leader, 3)
    pass(1000)
    assertEquals(Seq(true), wishes)
  }

  @Test
  def testItDoesNotAskIfTheBrokerHasSeveralLogDirectories(): Unit = {
    startWith(TestUtils.createBrokerConfig(leader, logDirCount = 2))
    lead(0)
    fetch(0)
    pass(maxWaitMs + 10000)
    assertEquals(Seq(), wishes)
  }

  @Test
  def testDefault(): Unit = {
    assertEquals(-1L, KafkaConfig.fromProps(TestUtils.createBrokerConfig(leader)).leaderFetchProcessTimeMaxMs)
  }

  private def start(more: (String, String)*): Unit = {
    val props = TestUtils.createBrokerConfig(leader)
    more.foreach { case (name, value) => props.put(name, value) }
    startWith(props)
  }

  private def startWith(props: Properties): Unit = {
    props.putIfAbsent(ReplicationConfigs.FOLLOWER_FETCH_PENDING_READS_INSYNC_ENABLE_CONFIG, "true")
    props.put(ReplicationConfigs.LEADER_FETCH_PROCESS_TIME_MAX_MS_CONFIG, processTimeMaxMs.toString)
    val config = KafkaConfig.fromProps(props)
    when(metadataCache.getAliveBrokerEpoch(anyInt)).thenReturn(Optional.of[java.lang.Long](1L))
    alive(replicas.toSeq: _*)
    val logConfig = new LogConfig(util.Map.of(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
      props.getProperty(ServerLogConfigs.MIN_IN_SYNC_REPLICAS_CONFIG, "1")))
    val logManager = TestUtils.createLogManager(config.logDirs.asScala.map(new File(_)), defaultConfig = logConfig, time = time)
    replicaManager = new ReplicaManager(config = config, metrics = metrics, time = time, scheduler = time.scheduler,
      logManager = logManager, quotaManagers = QuotaFactory.instantiate(config, metrics, time, "", ""),
      metadataCache = metadataCache, logDirFailureChannel = new LogDirFailureChannel(config.logDirs.size),
      alterPartitionManager = TestUtils.createAlterIsrManager())
    // It is not started: the tests let it check when a time has passed.
    thread = new SelfFencingThread(replicaManager, wishes += _, time)
  }

  private def alive(ids: Int*): Unit =
    replicas.foreach(id => when(metadataCache.hasAliveBroker(id)).thenReturn(ids.contains(id)))

  private def topicPartition(id: Int) = new TopicPartition("events", id)

  private def lead(id: Int, isr: Seq[Int] = replicas.toSeq, assigned: Array[Int] = replicas): Partition = {
    val partition = replicaManager.createPartition(topicPartition(id))
    partition.makeLeader(registration(leader, epoch, isr, assigned), isNew = true, noCheckpoints, Some(topicId))
    inMetadata(id, leader, epoch, isr)
    partition
  }

  private def registration(leader: Int, epoch: Int, isr: Seq[Int], assigned: Array[Int] = replicas): PartitionRegistration =
    new PartitionRegistration.Builder().setReplicas(assigned).setIsr(isr.toArray).setLeader(leader)
      .setDirectories(DirectoryId.unassignedArray(assigned.length)).setLeaderRecoveryState(LeaderRecoveryState.RECOVERED)
      .setLeaderEpoch(epoch).setPartitionEpoch(epoch).build()

  private def inMetadata(id: Int, leader: Int, epoch: Int, isr: Seq[Int]): Unit =
    when(metadataCache.getLeaderAndIsr("events", id)).thenReturn(Optional.of(
      new LeaderAndIsr(leader, epoch, isr.map(Int.box).asJava, LeaderRecoveryState.RECOVERED, epoch)))

  /** A follower's fetch that waits in the purgatory until it is completed. */
  private def fetch(id: Int): Unit = {
    val params = new FetchParams(follower, 1L, maxWaitMs, 1, 1 << 20, FetchIsolation.LOG_END, Optional.empty())
    val data = new FetchRequest.PartitionData(topicId, log(id).logEndOffset, 0, 1 << 20, Optional.of[Integer](epoch))
    replicaManager.fetchMessages(params, Seq(new TopicIdPartition(topicId, topicPartition(id)) -> data), UNBOUNDED_QUOTA, _ => ())
  }

  private def log(id: Int) = replicaManager.onlinePartition(topicPartition(id)).get.localLogOrException

  private def complete(id: Int): Unit = {
    val records = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord("record".getBytes))
    replicaManager.onlinePartition(topicPartition(id)).get
      .appendRecordsToLeader(records, AppendOrigin.COORDINATOR, 0, RequestLocal.withThreadConfinedCaching)
    replicaManager.delayedFetchPurgatory.checkAndComplete(new TopicPartitionOperationKey(topicPartition(id)))
  }

  private def beSlow(id: Int): Unit = {
    fetch(id)
    pass(maxWaitMs + processTimeMaxMs + 1000)
  }

  private def pass(ms: Long): Unit = {
    val end = time.milliseconds + ms
    while (time.milliseconds < end) {
      time.sleep(500)
      thread.checkFetches()
    }
  }
}
