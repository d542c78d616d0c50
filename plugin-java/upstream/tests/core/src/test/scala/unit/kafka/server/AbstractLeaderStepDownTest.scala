package kafka.server

import kafka.cluster.Partition
import kafka.server.QuotaFactory.UNBOUNDED_QUOTA
import kafka.utils.TestUtils
import org.apache.kafka.clients.{ClientResponse, NodeApiVersions}
import org.apache.kafka.common.compress.Compression
import org.apache.kafka.common.message.AlterPartitionRequestData.PartitionData
import org.apache.kafka.common.message.AlterPartitionResponseData
import org.apache.kafka.common.metrics.Metrics
import org.apache.kafka.common.protocol.Errors
import org.apache.kafka.common.record.internal.{MemoryRecords, SimpleRecord}
import org.apache.kafka.common.requests._
import org.apache.kafka.common.utils.Utils
import org.apache.kafka.common.{DirectoryId, Node, TopicIdPartition, TopicPartition, Uuid}
import org.apache.kafka.metadata.{LeaderAndIsr, LeaderRecoveryState, MetadataCache, PartitionRegistration}
import org.apache.kafka.server.common.{ControllerRequestCompletionHandler, NodeToControllerChannelManager, RequestLocal}
import org.apache.kafka.server.config.ReplicationConfigs
import org.apache.kafka.server.replica.stepdown.LeaderStepDownConfig
import org.apache.kafka.server.storage.log.{FetchIsolation, FetchParams}
import org.apache.kafka.server.util.MockTime
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpoints
import org.apache.kafka.storage.internals.log.{AppendOrigin, LogDirFailureChannel}
import org.junit.jupiter.api.AfterEach
import org.mockito.ArgumentMatchers.{any, anyInt, anyString}
import org.mockito.Mockito.{mock, when}

import java.io.File
import java.util
import java.util.Optional
import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

/**
 * A broker that leads partitions, with a channel to the controller that records its requests.
 */
abstract class AbstractLeaderStepDownTest {
  protected val leader = 1
  protected val follower = 2
  protected val replicas = Array(leader, follower, 3)
  protected val epoch = 5
  protected val partitionEpoch = 7
  protected val processTimeMaxMs = 1000L
  protected val firstFetches = 20
  protected val firstFetchMoreMs = 5000L
  protected val fetchWaitMs = 60000L
  protected val topicId = Uuid.randomUuid()
  protected val time = new MockTime
  protected val metrics = new Metrics
  protected val channel = new RecordingChannel
  protected val metadataCache = mock(classOf[MetadataCache])
  protected val noCheckpoints: OffsetCheckpoints = (_, _) => Optional.empty()
  protected var replicaManager: ReplicaManager = _

  @AfterEach
  def tearDown(): Unit = {
    if (replicaManager != null) {
      replicaManager.shutdown(checkpointHW = false)
      replicaManager.logManager.liveLogDirs.foreach(dir => Utils.delete(dir))
    }
    metrics.close()
  }

  protected def on: Seq[(String, String)] = Seq(
    ReplicationConfigs.PENDING_READS_INSYNC_ENABLE_CONFIG -> "true",
    ReplicationConfigs.LEADER_FETCH_PROCESS_TIME_MAX_MS_CONFIG -> processTimeMaxMs.toString)

  protected def config(more: (String, String)*): KafkaConfig = {
    val props = TestUtils.createBrokerConfig(leader)
    more.foreach { case (name, value) => props.put(name, value) }
    KafkaConfig.fromProps(props)
  }

  protected def start(more: (String, String)*): Unit = {
    val started = config(on ++ more: _*)
    when(metadataCache.getAliveBrokerEpoch(anyInt)).thenReturn(Optional.of[java.lang.Long](1L))
    when(metadataCache.getLeaderAndIsr(anyString, anyInt)).thenReturn(Optional.empty[LeaderAndIsr])
    alive(replicas.toSeq: _*)
    val manager = new DefaultAlterPartitionManager(channel, time.scheduler, time, leader, () => 1L)
    val logManager = TestUtils.createLogManager(started.logDirs.asScala.map(new File(_)), time = time)
    replicaManager = new ReplicaManager(config = started, metrics = metrics, time = time, scheduler = time.scheduler,
      logManager = logManager, quotaManagers = QuotaFactory.instantiate(started, metrics, time, "", ""),
      metadataCache = metadataCache, logDirFailureChannel = new LogDirFailureChannel(started.logDirs.size),
      alterPartitionManager = manager)
    // Its thread is not started: the tests let it look when a time has passed.
    val stepDown = replicaManager.leaderStepDown
    stepDown.running = new stepDown.RunningStepDown(LeaderStepDownConfig.settings(started).get, manager)
  }

  protected def alive(ids: Int*): Unit =
    when(metadataCache.getAliveBrokerNodes(any())).thenReturn(ids.map(id => new Node(id, "localhost", 9092 + id)).asJava)

  protected def topicPartition(id: Int) = new TopicPartition("events", id)

  /** A partition of a leader that has served its first fetches. */
  protected def lead(id: Int): Partition = {
    val partition = leadCold(id)
    (1 to firstFetches).foreach(_ => fetch(id, waitMs = 0))
    partition
  }

  protected def leadCold(id: Int): Partition = {
    val partition = replicaManager.createPartition(topicPartition(id))
    makeLeader(partition, epoch)
    partition
  }

  protected def makeLeader(partition: Partition, inEpoch: Int): Unit =
    partition.makeLeader(registration(inEpoch, leader), isNew = true, noCheckpoints, Some(topicId))

  protected def registration(inEpoch: Int, leadBy: Int): PartitionRegistration =
    new PartitionRegistration.Builder().setReplicas(replicas).setIsr(replicas).setLeader(leadBy)
      .setDirectories(DirectoryId.unassignedArray(replicas.length)).setLeaderRecoveryState(LeaderRecoveryState.RECOVERED)
      .setLeaderEpoch(inEpoch).setPartitionEpoch(partitionEpoch + inEpoch - epoch).build()

  protected def record: MemoryRecords = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord("record".getBytes))

  protected def append(id: Int): Unit =
    replicaManager.onlinePartition(topicPartition(id)).get
      .appendRecordsToLeader(record, AppendOrigin.CLIENT, 0, RequestLocal.withThreadConfinedCaching)

  /** A follower's fetch that waits for records. */
  protected def fetch(id: Int, waitMs: Long = fetchWaitMs): Unit = {
    val params = new FetchParams(follower, 1L, waitMs, 1, 1 << 20, FetchIsolation.LOG_END, Optional.empty())
    val data = new FetchRequest.PartitionData(topicId, 0, 0, 1 << 20, Optional.of[Integer](epoch))
    replicaManager.fetchMessages(params, Seq(new TopicIdPartition(topicId, topicPartition(id)) -> data), UNBOUNDED_QUOTA, _ => ())
  }

  /** The broker steps down from a partition that it leads, and the controller answers its request. */
  protected def answeredStepDown(error: Errors): Partition = {
    start()
    val partition = lead(0)
    beSlow(0)
    channel.answer(0, alterPartitionResponse(error))
    partition
  }

  /** The metadata knows the follower as the leader of the next epoch. */
  protected def ledByFollower(): Unit =
    when(metadataCache.getLeaderAndIsr("events", 0)).thenReturn(Optional.of(
      new LeaderAndIsr(follower, epoch + 1, util.List.of(Int.box(follower)), LeaderRecoveryState.RECOVERED, partitionEpoch + 1)))

  protected def beSlow(ids: Int*): Unit = {
    ids.foreach(fetch(_))
    pass(fetchWaitMs + processTimeMaxMs + tickMs)
  }

  protected def tickMs: Long = replicaManager.leaderStepDown.running.settings.tickMs

  protected def pass(ms: Long): Unit = {
    val end = time.milliseconds + ms
    while (time.milliseconds < end) {
      time.sleep(math.min(tickMs, end - time.milliseconds))
      replicaManager.leaderStepDown.running.tick()
    }
  }

  protected def alterPartitionData(index: Int): PartitionData =
    channel.request[AlterPartitionRequest](index).data.topics.get(0).partitions.get(0)

  protected def members(data: PartitionData): Seq[Int] = data.newIsrWithEpochs.asScala.map(_.brokerId).toSeq

  protected def alterPartitionResponse(error: Errors): AlterPartitionResponse = {
    val partition = new AlterPartitionResponseData.PartitionData().setPartitionIndex(0).setErrorCode(error.code)
      .setLeaderId(leader).setLeaderEpoch(epoch).setPartitionEpoch(partitionEpoch + 1)
      .setIsr(util.List.of(Int.box(follower), Int.box(3), Int.box(leader)))
    val topic = new AlterPartitionResponseData.TopicData().setTopicId(topicId).setPartitions(util.List.of(partition))
    new AlterPartitionResponse(new AlterPartitionResponseData().setTopics(util.List.of(topic)))
  }

  protected class RecordingChannel extends NodeToControllerChannelManager {
    val sent = ArrayBuffer.empty[(AbstractRequest.Builder[_ <: AbstractRequest], ControllerRequestCompletionHandler)]

    override def start(): Unit = {}

    override def shutdown(): Unit = {}

    override def controllerApiVersions(): Optional[NodeApiVersions] = Optional.empty()

    override def sendRequest(request: AbstractRequest.Builder[_ <: AbstractRequest],
                             callback: ControllerRequestCompletionHandler): Unit = sent += (request -> callback)

    override def getTimeoutMs: Long = Long.MaxValue

    def request[T <: AbstractRequest](index: Int): T = sent(index)._1.build().asInstanceOf[T]

    def answer(index: Int, response: AbstractResponse): Unit = {
      val header = new RequestHeader(response.apiKey, response.apiKey.latestVersion, "", 0)
      sent(index)._2.onComplete(new ClientResponse(header, null, "", 0, 0, false, null, null, response))
    }
  }
}
