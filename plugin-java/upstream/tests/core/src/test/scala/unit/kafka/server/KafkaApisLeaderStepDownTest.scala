package kafka.server

import kafka.coordinator.transaction.TransactionCoordinator
import kafka.network.RequestChannel
import org.apache.kafka.common.memory.MemoryPool
import org.apache.kafka.common.message.ProduceRequestData
import org.apache.kafka.common.message.ProduceRequestData.{PartitionProduceData, TopicProduceData, TopicProduceDataCollection}
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse
import org.apache.kafka.common.metrics.Metrics
import org.apache.kafka.common.network.{ClientInformation, ListenerName}
import org.apache.kafka.common.protocol.Errors
import org.apache.kafka.common.requests._
import org.apache.kafka.common.security.auth.{KafkaPrincipal, SecurityProtocol}
import org.apache.kafka.coordinator.group.{GroupConfigManager, GroupCoordinator}
import org.apache.kafka.coordinator.share.ShareCoordinator
import org.apache.kafka.metadata.ConfigRepository
import org.apache.kafka.network.metrics.RequestChannelMetrics
import org.apache.kafka.server.ApiVersionManager
import org.apache.kafka.server.common.RequestLocal
import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.{BeforeEach, Test}
import org.mockito.ArgumentCaptor
import org.mockito.ArgumentMatchers.any
import org.mockito.Mockito.{mock, verify, when}

import java.net.InetAddress
import java.util
import java.util.Optional

/** Which leader a response with NOT_LEADER_OR_FOLLOWER names (KIP-951). */
class KafkaApisLeaderStepDownTest extends AbstractLeaderStepDownTest {
  private val noLeader = -1

  @BeforeEach
  def giveThePartitionAway(): Unit = {
    answeredStepDown(Errors.NEW_LEADER_ELECTED)
    when(metadataCache.getTopicName(topicId)).thenReturn(Optional.of("events"))
    when(metadataCache.contains(topicPartition(0))).thenReturn(true)
    when(metadataCache.getAliveBrokerNode(any(), any())).thenReturn(Optional.empty())
  }

  @Test
  def testLeaderWhoseEpochIsOverDoesNotNameItself(): Unit = {
    val response = produce()
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, Errors.forCode(response.errorCode))
    assertEquals((noLeader, noLeader), (response.currentLeader.leaderId, response.currentLeader.leaderEpoch))
  }

  @Test
  def testLeaderWhoseEpochIsOverNamesThatOfTheMetadata(): Unit = {
    ledByFollower()
    val response = produce()
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, Errors.forCode(response.errorCode))
    assertEquals((follower, epoch + 1), (response.currentLeader.leaderId, response.currentLeader.leaderEpoch))
  }

  private def produce(): PartitionProduceResponse = {
    val requestChannel = mock(classOf[RequestChannel])
    val request = produceRequest()
    apis(requestChannel).handleProduceRequest(request, RequestLocal.withThreadConfinedCaching)
    val response: ArgumentCaptor[AbstractResponse] = ArgumentCaptor.forClass(classOf[AbstractResponse])
    verify(requestChannel).sendResponse(any(), response.capture(), any())
    response.getValue.asInstanceOf[ProduceResponse].data.responses.iterator.next.partitionResponses.get(0)
  }

  private def produceRequest(): RequestChannel.Request = {
    val topic = new TopicProduceData().setTopicId(topicId)
      .setPartitionData(util.List.of(new PartitionProduceData().setIndex(0).setRecords(record)))
    val body = ProduceRequest.builder(new ProduceRequestData().setAcks(-1).setTimeoutMs(1000)
      .setTopicData(new TopicProduceDataCollection(util.List.of(topic).iterator))).build()
    val buffer = body.serializeWithHeader(new RequestHeader(body.apiKey, body.version, "client", 0))
    val context = new RequestContext(RequestHeader.parse(buffer), "1", InetAddress.getLoopbackAddress, Optional.empty(),
      KafkaPrincipal.ANONYMOUS, ListenerName.forSecurityProtocol(SecurityProtocol.PLAINTEXT), SecurityProtocol.PLAINTEXT,
      ClientInformation.EMPTY, false, Optional.empty())
    new RequestChannel.Request(processor = 1, context = context, startTimeNanos = 0, memoryPool = MemoryPool.NONE,
      buffer = buffer, metrics = mock(classOf[RequestChannelMetrics]))
  }

  private def apis(requestChannel: RequestChannel): KafkaApis = {
    val config = replicaManager.config
    new KafkaApis(requestChannel = requestChannel,
      forwardingManager = mock(classOf[ForwardingManager]),
      replicaManager = replicaManager,
      groupCoordinator = mock(classOf[GroupCoordinator]),
      txnCoordinator = mock(classOf[TransactionCoordinator]),
      shareCoordinator = mock(classOf[ShareCoordinator]),
      autoTopicCreationManager = mock(classOf[AutoTopicCreationManager]),
      brokerId = leader,
      config = config,
      configRepository = mock(classOf[ConfigRepository]),
      metadataCache = metadataCache,
      metrics = metrics,
      authorizerPlugin = None,
      quotas = QuotaFactory.instantiate(config, new Metrics, time, "", ""),
      fetchManager = null,
      sharePartitionManager = null,
      brokerTopicStats = replicaManager.brokerTopicStats,
      clusterId = "cluster",
      time = time,
      tokenManager = null,
      apiVersionManager = mock(classOf[ApiVersionManager]),
      clientMetricsManager = null,
      groupConfigManager = mock(classOf[GroupConfigManager]))
  }
}
