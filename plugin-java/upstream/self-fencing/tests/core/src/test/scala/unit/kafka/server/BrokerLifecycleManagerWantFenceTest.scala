package kafka.server

import kafka.utils.TestUtils
import org.apache.kafka.common.Node
import org.apache.kafka.common.message.{BrokerHeartbeatResponseData, BrokerRegistrationResponseData}
import org.apache.kafka.common.requests.{AbstractRequest, AbstractResponse, BrokerHeartbeatRequest, BrokerHeartbeatResponse, BrokerRegistrationRequest, BrokerRegistrationResponse}
import org.apache.kafka.metadata.BrokerState
import org.apache.kafka.server.BrokerLifecycleManager
import org.junit.jupiter.api.Assertions._
import org.junit.jupiter.api.{AfterEach, Test}

import java.util.concurrent.CompletableFuture
import java.util.{Collections, OptionalLong}

class BrokerLifecycleManagerWantFenceTest {
  private val context = new RegistrationTestContext(TestUtils.createBrokerConfig(1))
  private val manager = new BrokerLifecycleManager(context.config, context.time, "want-fence-test-", Collections.emptyMap())

  @AfterEach
  def tearDown(): Unit = manager.close()

  @Test
  def testHeartbeatsAskForFencingUntilItIsNoLongerWanted(): Unit = {
    run()
    assertFalse(nextHeartbeat().wantFence)
    manager.setWantFence(true)
    assertTrue(heartbeatAfterThoseInFlight(wantFence = true))
    assertTrue(nextHeartbeat(isFenced = true).wantFence)
    manager.setWantFence(false)
    assertTrue(heartbeatAfterThoseInFlight(wantFence = false))
    assertFalse(nextHeartbeat().wantFence)
  }

  @Test
  def testBrokerThatShutsDownDoesNotAskForFencing(): Unit = {
    run()
    manager.setWantFence(true)
    assertTrue(heartbeatAfterThoseInFlight(wantFence = true))
    manager.beginControlledShutdown()
    TestUtils.waitUntilTrue(() => manager.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN, "controlled shutdown")
    assertTrue(heartbeatAfterThoseInFlight(wantFence = false))
    assertTrue(nextHeartbeat().wantShutDown)
  }

  private def run(): Unit = {
    context.controllerNodeProvider.node.set(new Node(3000, "localhost", 8021))
    manager.start(() => context.highestMetadataOffset.get, context.mockChannelManager, context.clusterId,
      context.advertisedListeners, Collections.emptyMap(), OptionalLong.empty())
    answer[BrokerRegistrationRequest](
      new BrokerRegistrationResponse(new BrokerRegistrationResponseData().setBrokerEpoch(1000)))
    manager.setReadyToUnfence()
    while (manager.state != BrokerState.RUNNING)
      nextHeartbeat()
  }

  /** Whether one of the next two heartbeats is as wanted, because one may have been sent before the wish changed. */
  private def heartbeatAfterThoseInFlight(wantFence: Boolean): Boolean =
    nextHeartbeat().wantFence == wantFence || nextHeartbeat().wantFence == wantFence

  private def nextHeartbeat(isFenced: Boolean = false) =
    answer[BrokerHeartbeatRequest](
      new BrokerHeartbeatResponse(new BrokerHeartbeatResponseData().setIsCaughtUp(true).setIsFenced(isFenced))).data

  private def answer[T <: AbstractRequest](response: AbstractResponse): T = {
    val sent = new CompletableFuture[T]
    context.mockClient.prepareResponseFrom((request: AbstractRequest) => sent.complete(request.asInstanceOf[T]), response,
      context.controllerNodeProvider.node.get)
    TestUtils.waitUntilTrue(() => {
      context.poll()
      context.time.sleep(100)
      manager.eventQueue.wakeup()
      sent.isDone
    }, "the broker sends a request", pause = 1)
    sent.get
  }
}
