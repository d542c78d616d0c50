package kafka.cluster

import org.apache.kafka.common.compress.Compression
import org.apache.kafka.common.errors.OffsetOutOfRangeException
import org.apache.kafka.common.network.ListenerName
import org.apache.kafka.common.protocol.ApiKeys
import org.apache.kafka.common.record.internal.{MemoryRecords, SimpleRecord}
import org.apache.kafka.common.requests.{FetchMetadata, FetchRequest, RequestContext, RequestHeader}
import org.apache.kafka.common.network.ClientInformation
import org.apache.kafka.common.security.auth.{KafkaPrincipal, SecurityProtocol}
import org.apache.kafka.common.{DirectoryId, TopicIdPartition, TopicPartition, Uuid}
import org.apache.kafka.metadata.{LeaderRecoveryState, PartitionRegistration}
import org.apache.kafka.server.common.RequestLocal
import org.apache.kafka.server.replica.pending.{LeaderClock, PendingFetch, PendingFetches, ServedFetch}
import org.apache.kafka.server.storage.log.{FetchIsolation, FetchParams}
import org.apache.kafka.storage.internals.log.{AppendOrigin, LogReadInfo, UnifiedLog}
import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.{AfterEach, Test}
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.{CsvSource, ValueSource}
import org.mockito.Mockito.{doReturn, spy}

import java.net.InetAddress
import java.util
import java.util.Optional

class PartitionPendingFetchesTest extends AbstractPartitionTest {
  private val leaderEpoch = 5
  private val lagMs = 30000L
  private var pendingFetches: PendingFetches = _

  @AfterEach
  def close(): Unit = {
    if (pendingFetches != null) pendingFetches.close()
  }

  @ParameterizedTest
  @ValueSource(booleans = Array(true, false))
  def testFollowerStaysInSyncWhileItsFetchIsPending(enabled: Boolean): Unit = {
    lead(enabled, "read")
    append(10)
    fetchAtOnce(0)
    append(10)
    val pending = begin(10)

    time.sleep(lagMs + 1)
    assertEquals(outOfSyncUnless(enabled), partition.getOutOfSyncReplicas(lagMs))

    // The fetch is read and caught up as of its completion, not as of its arrival.
    fetch(10)
    if (pending != null) pending.complete()
    append(10)
    time.sleep(lagMs)
    assertEquals(outOfSyncUnless(enabled), partition.getOutOfSyncReplicas(lagMs))
    time.sleep(1)
    assertEquals(Set(remoteReplicaId), partition.getOutOfSyncReplicas(lagMs))
  }

  @Test
  def testFollowerThatIsBehindIsNotHeld(): Unit = {
    lead(enabled = true, "read")
    append(10)
    fetchAtOnce(0)
    append(10)

    begin(5)
    time.sleep(lagMs + 1)
    assertEquals(Set(remoteReplicaId), partition.getOutOfSyncReplicas(lagMs))
  }

  @Test
  def testElectionClearsPendingFetches(): Unit = {
    lead(enabled = true, "read")
    append(10)
    val pending = begin(0)
    makeLeader(leaderEpoch + 1)
    append(10)
    time.sleep(lagMs + 1)
    assertEquals(Set(remoteReplicaId), partition.getOutOfSyncReplicas(lagMs))

    pending.complete()
    assertEquals(Set(remoteReplicaId), partition.getOutOfSyncReplicas(lagMs), "nor does its completion count")
    assertEquals(0, pendingFetches.stats.pendingNow)
  }

  @Test
  def testResignationClearsPendingFetches(): Unit = {
    lead(enabled = true, "read")
    append(10)
    begin(0)
    partition.makeFollower(registration(leaderEpoch + 1, remoteReplicaId), isNew = false, offsetCheckpoints, topicId)
    assertEquals(0, pendingFetches.stats.pendingNow)
  }

  @Test
  def testPendingFetchHasALongestAge(): Unit = {
    lead(enabled = true, "read")
    append(10)
    begin(0)
    time.sleep(10 * lagMs)
    assertEquals(Set(), partition.getOutOfSyncReplicas(lagMs))
    time.sleep(1)
    assertEquals(Set(remoteReplicaId), partition.getOutOfSyncReplicas(lagMs))
    assertEquals(1, pendingFetches.stats.outlivedTotal)
  }

  @Test
  def testFetchOfALostConnectionIsReleased(): Unit = {
    lead(enabled = true, "read")
    append(10)
    ServedFetch.begin("connection", null)
    begin(0)
    ServedFetch.end()
    pendingFetches.disconnected("connection")
    time.sleep(lagMs + 1)
    assertEquals(Set(remoteReplicaId), partition.getOutOfSyncReplicas(lagMs))
  }

  @ParameterizedTest
  @CsvSource(Array("true,request", "false,read"))
  def testLeadersTimeIsNotChargedFromTheArrivalOfARequest(enabled: Boolean, scope: String): Unit = {
    lead(enabled, scope)
    append(10)
    val body = fetchRequest(0)
    val thread = pendingFetches.networkThread
    assertEquals(enabled, thread != null)
    val connection = if (enabled) pendingFetches.arrived(thread, context(body), body) else null

    pass(lagMs + 1)
    assertEquals(outOfSyncUnless(enabled), partition.getOutOfSyncReplicas(lagMs), "in the request queue")

    ServedFetch.begin("connection", connection)
    fetch(0)
    ServedFetch.end()
    append(10)
    pass(lagMs + 1)
    assertEquals(outOfSyncUnless(enabled), partition.getOutOfSyncReplicas(lagMs), "while the response is sent")

    if (enabled) connection.sent(body)
    pass(lagMs + 1)
    assertEquals(Set(remoteReplicaId), partition.getOutOfSyncReplicas(lagMs), "the follower's own time")
  }

  @Test
  def testPendingFetchesStayInEffectWhenTheirScopeIsTurnedOff(): Unit = {
    lead(enabled = true, "read")
    append(10)
    val pending = begin(0)
    pendingFetches.configure(false, "read")
    assertNull(pendingFetches.begin(500))
    pendingFetches.endDrained()
    time.sleep(lagMs + 1)
    assertEquals(Set(), partition.getOutOfSyncReplicas(lagMs))

    pending.complete()
    time.sleep(12 * lagMs)
    pendingFetches.endDrained()
    assertEquals(Set(remoteReplicaId), partition.getOutOfSyncReplicas(lagMs))
  }

  @ParameterizedTest
  @ValueSource(booleans = Array(true, false))
  def testResponseHasTheHighWatermarkAsTheFetchMovedIt(snapshot: Boolean): Unit = {
    lead(enabled = false, "read")
    partition.fetchSnapshotEnable = snapshot
    append(10)
    val read = fetch(10)
    assertEquals(10, partition.localLogOrException.highWatermark)
    assertEquals(if (snapshot) 10 else 0, read.highWatermark)
  }

  @ParameterizedTest
  @ValueSource(booleans = Array(true, false))
  def testResponseHasNoLogStartOffsetAboveItsHighWatermark(snapshot: Boolean): Unit = {
    lead(enabled = false, "read")
    partition.fetchSnapshotEnable = snapshot
    append(20)
    fetch(20)
    partition.localLogOrException.maybeIncrementLogStartOffset(20,
      org.apache.kafka.storage.internals.log.LogStartOffsetIncrementReason.ClientRecordDeletion)
    // The high watermark is read before it moves, the log start offset after it has moved.
    val log = spy[UnifiedLog](partition.localLogOrException)
    doReturn(10L, java.lang.Long.valueOf(20L)).when(log).highWatermark
    partition.setLog(log, false)

    val read = fetch(20, updateFetchState = false)
    assertEquals(10, read.highWatermark)
    assertEquals(if (snapshot) 10 else 20, read.logStartOffset)
  }

  @Test
  def testLogRefusesALogStartOffsetAboveTheHighWatermark(): Unit = {
    lead(enabled = false, "read")
    append(10)
    assertThrows(classOf[OffsetOutOfRangeException], () => partition.localLogOrException.maybeIncrementLogStartOffset(1,
      org.apache.kafka.storage.internals.log.LogStartOffsetIncrementReason.LeaderOffsetIncremented))
  }

  private def outOfSyncUnless(inSync: Boolean): Set[Int] = if (inSync) Set() else Set(remoteReplicaId)

  private def lead(enabled: Boolean, scope: String): Unit = {
    pendingFetches = new PendingFetches(time, lagMs)
    pendingFetches.configure(enabled, scope)
    partition.pendingFetches = pendingFetches
    makeLeader(leaderEpoch)
  }

  private def makeLeader(epoch: Int): Unit = {
    assertEquals(!partition.isLeader,
      partition.makeLeader(registration(epoch, brokerId), isNew = epoch == leaderEpoch, offsetCheckpoints, topicId))
  }

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

  /** Marks a fetch of the follower as pending; null if scope "read" is off. */
  private def begin(offset: Long): PendingFetch = {
    val pending = pendingFetches.begin(500)
    if (pending != null) {
      partition.markPending(pending, remoteReplicaId, offset)
      pending.marked()
    }
    pending
  }

  /** Fetches without any delay by the leader. */
  private def fetchAtOnce(offset: Long): Unit = {
    val pending = begin(offset)
    fetch(offset)
    if (pending != null) pending.complete()
  }

  private def fetch(offset: Long, updateFetchState: Boolean = true): LogReadInfo = {
    val params = new FetchParams(remoteReplicaId, defaultBrokerEpoch(remoteReplicaId), 500, 1, 1 << 20,
      FetchIsolation.LOG_END, Optional.empty())
    partition.fetchRecords(params, partitionData(offset), time.milliseconds, 1 << 20, minOneMessage = true, updateFetchState)
  }

  private def partitionData(offset: Long): FetchRequest.PartitionData =
    new FetchRequest.PartitionData(topicId.getOrElse(Uuid.ZERO_UUID), offset, 0, 1 << 20, Optional.of(leaderEpoch))

  private def fetchRequest(offset: Long): FetchRequest = {
    val data = new util.LinkedHashMap[TopicPartition, FetchRequest.PartitionData]
    data.put(topicPartition, partitionData(offset))
    FetchRequest.Builder.forReplica(ApiKeys.FETCH.latestVersion, remoteReplicaId, defaultBrokerEpoch(remoteReplicaId), 500, 1,
      data).metadata(FetchMetadata.INITIAL).removed(util.List.of[TopicIdPartition]).build()
  }

  private def context(body: FetchRequest): RequestContext =
    new RequestContext(new RequestHeader(ApiKeys.FETCH, body.version, "follower", 0), "connection",
      InetAddress.getLoopbackAddress, KafkaPrincipal.ANONYMOUS, ListenerName.normalised("PLAINTEXT"),
      SecurityProtocol.PLAINTEXT, ClientInformation.EMPTY, false)

  /** Lets time pass in which the process runs, so that it is no pause of the leader. */
  private def pass(ms: Long): Unit = {
    val end = time.milliseconds + ms
    while (time.milliseconds < end) {
      time.sleep(math.min(LeaderClock.PERIOD_MS, end - time.milliseconds))
      if (pendingFetches.requestScope != null) pendingFetches.requestScope.leaderClock.tick()
    }
  }
}
