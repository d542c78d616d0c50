package kafka.server

import kafka.cluster.{LedPartitionView, Partition}
import kafka.utils.Logging
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState
import org.apache.kafka.common.protocol.Errors
import org.apache.kafka.common.protocol.types.RawTaggedField
import org.apache.kafka.metadata.LeaderAndIsr
import org.apache.kafka.server.common.TopicIdPartition
import org.apache.kafka.server.replica.stepdown.{Decision, Outcome, RelinquishTag, StepDownRequest, StepDownRequests, StepDownSettings}
import org.apache.kafka.server.replica.stepdown.StepDownSettings.Via

import java.util
import java.util.concurrent.CompletionException
import scala.util.control.NonFatal

/**
 * Executes a step-down: requests the present ISR with this broker last. If the controller only takes the order, the broker
 * asks to be fenced. No thread waits: responses come on the channel's thread.
 *
 * @param leadershipEnded receives each leader epoch of this broker that is over
 * @param fence receives each step-down for which this broker is to be fenced
 */
private[server] class Relinquisher(brokerId: Int,
                                   settings: StepDownSettings,
                                   manager: DefaultAlterPartitionManager,
                                   requests: StepDownRequests[LedPartitionView],
                                   leadershipEnded: (Partition, Int) => Unit,
                                   fence: StepDownRequest[LedPartitionView] => Unit) extends Logging {
  private val alterPartitionName = StepDownSettings.name(Via.ALTER_PARTITION)
  private val fenceName = StepDownSettings.name(Via.FENCE)

  def relinquish(decision: Decision, led: LedPartitionView): Unit = {
    val request = requests.begin(decision, led, if (settings.via == Via.FENCE) fenceName else alterPartitionName)
    try if (settings.via == Via.FENCE) fence(request) else alterPartition(request)
    catch {
      case NonFatal(e) =>
        error(s"Unexpected error when this leader of ${led.kafkaPartition.topicPartition} steps down", e)
        request.settle(Outcome.FAILED, e.toString)
    }
  }

  /** Send AlterPartition, which the controller refuses if the partition has changed since this broker read it. */
  private def alterPartition(request: StepDownRequest[LedPartitionView]): Unit = {
    val decision = request.decision
    val led = request.led
    // The epoch is read first. It is written after the state, so the state is never older; a newer state is refused.
    val partitionEpoch = led.kafkaPartition.getPartitionEpoch
    if (!led.isLed || led.leaderEpoch != decision.leaderEpoch || led.isChanging || !decision.names(led.isr, brokerId))
      request.settle(Outcome.FAILED, "the partition changed meanwhile")
    else {
      val change = new LeaderAndIsr(brokerId, decision.leaderEpoch, led.recoveryState, order(decision, led), partitionEpoch)
      val partition = new TopicIdPartition(led.kafkaPartition.topicId.get, led.partition)
      manager.submit(partition, change).whenComplete { (answer, error) =>
        if (error == null) notHonoured(request, answer) else answered(request, error)
      }
    }
  }

  /** Return the members with their broker epochs, this broker last. */
  private def order(decision: Decision, led: LedPartitionView): util.List[BrokerState] = {
    val order = new util.ArrayList[BrokerState]
    decision.isr.filter(_ != brokerId).foreach { id =>
      order.add(new BrokerState().setBrokerId(id).setBrokerEpoch(led.brokerEpoch(id)))
    }
    val self = new BrokerState().setBrokerId(brokerId).setBrokerEpoch(-1)
    val options = RelinquishTag.encode(decision.leaves, decision.restNanos / 1000000L, decision.reason)
    self.unknownTaggedFields.add(new RawTaggedField(RelinquishTag.TAG, options))
    order.add(self)
    order
  }

  /** Handle the response of a controller that accepted the ISR and kept the leader. */
  private def notHonoured(request: StepDownRequest[LedPartitionView], answer: LeaderAndIsr): Unit = {
    if (settings.via != Via.ALTER_PARTITION && answer.leader == brokerId) {
      request.way(fenceName)
      fence(request)
    } else
      request.settle(Outcome.REFUSED, "the controller kept the leader")
  }

  private def answered(request: StepDownRequest[LedPartitionView], error: Throwable): Unit = {
    val cause = error match {
      case wrapped: CompletionException => wrapped.getCause
      case other => other
    }
    Errors.forException(cause) match {
      case Errors.NEW_LEADER_ELECTED =>
        request.settle(Outcome.DONE, null)
        leadershipEnded(request.led.kafkaPartition, request.decision.leaderEpoch)
      case Errors.FENCED_LEADER_EPOCH =>
        // This same request may have succeeded, and its first response was lost.
        request.doubt(Errors.FENCED_LEADER_EPOCH.name)
      case Errors.OPERATION_NOT_ATTEMPTED =>
        request.settle(Outcome.FAILED, Errors.OPERATION_NOT_ATTEMPTED.name)
      case other =>
        request.settle(Outcome.REFUSED, other.name)
    }
  }
}
