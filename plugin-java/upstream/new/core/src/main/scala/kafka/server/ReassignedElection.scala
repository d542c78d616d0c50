package kafka.server

import kafka.cluster.LedPartitionView
import org.apache.kafka.clients.ClientResponse
import org.apache.kafka.common.ElectionType
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.{ReassignablePartition, ReassignableTopic}
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics
import org.apache.kafka.common.protocol.Errors
import org.apache.kafka.common.requests.{AbstractRequest, AlterPartitionReassignmentsRequest, AlterPartitionReassignmentsResponse, ElectLeadersRequest, ElectLeadersResponse, ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse}
import org.apache.kafka.server.common.{ControllerRequestCompletionHandler, NodeToControllerChannelManager}
import org.apache.kafka.server.replica.stepdown.{Outcome, StepDownRequest}

import java.util
import scala.jdk.CollectionConverters._

/**
 * Gives leadership away under any controller, with the two requests that an operator would send: a reassignment to the
 * same replicas with the successor first, then a preferred election. The order stays, so automatic preferred elections do
 * not undo it. Needs ALTER on the cluster, which brokers have as super users.
 *
 * A reassignment carries no epoch, so it would replace one that an operator has begun. So it follows an AlterPartition,
 * whose partition epoch was right, and the controller is asked for reassignments under way: only a change that it makes
 * within the last round trip is overwritten.
 */
private[server] class ReassignedElection(brokerId: Int, channel: NodeToControllerChannelManager) {
  private type Request = StepDownRequest[LedPartitionView]
  private val timeoutMs = 30000

  def begin(request: Request): Unit = {
    val topic = new ListPartitionReassignmentsTopics().setName(request.decision.topic)
      .setPartitionIndexes(util.List.of(Int.box(request.decision.partition)))
    val data = new ListPartitionReassignmentsRequestData().setTimeoutMs(timeoutMs).setTopics(util.List.of(topic))
    send(request, new ListPartitionReassignmentsRequest.Builder(data)) { response =>
      val answer = response.responseBody.asInstanceOf[ListPartitionReassignmentsResponse].data
      val isReassigning = answer.topics.asScala.exists(!_.partitions.isEmpty)
      val error = Errors.forCode(answer.errorCode)
      if (error != Errors.NONE)
        request.settle(Outcome.REFUSED, error.name)
      else if (isReassigning || request.led.kafkaPartition.isReassigning)
        request.settle(Outcome.FAILED, "another reassignment is under way")
      else
        ifStillLed(request)(reassign(request))
    }
  }

  private def reassign(request: Request): Unit = {
    val topic = new ReassignableTopic().setName(request.decision.topic)
    topic.partitions.add(new ReassignablePartition().setPartitionIndex(request.decision.partition).setReplicas(order(request)))
    val data = new AlterPartitionReassignmentsRequestData().setTimeoutMs(timeoutMs)
    data.topics.add(topic)
    send(request, new AlterPartitionReassignmentsRequest.Builder(data)) { response =>
      val answer = response.responseBody.asInstanceOf[AlterPartitionReassignmentsResponse].data
      val error = firstError(answer.errorCode,
        answer.responses.asScala.flatMap(_.partitions.asScala).map(_.errorCode))
      if (error != Errors.NONE)
        request.settle(Outcome.REFUSED, error.name)
      else
        ifStillLed(request)(elect(request))
    }
  }

  /** Return the assignment in the order of the decision: members of the ISR first, this broker last. */
  private def order(request: Request): util.List[Integer] = {
    val members = request.decision.isr.toSeq
    (members ++ request.led.assigned).filter(_ != brokerId).distinct.appended(brokerId).map(Int.box).asJava
  }

  private def elect(request: Request): Unit = {
    val partition = request.led.kafkaPartition.topicPartition
    send(request, new ElectLeadersRequest.Builder(ElectionType.PREFERRED, util.List.of(partition), timeoutMs)) { response =>
      val answer = response.responseBody.asInstanceOf[ElectLeadersResponse].data
      val error = firstError(answer.errorCode,
        answer.replicaElectionResults.asScala.flatMap(_.partitionResult.asScala).map(_.errorCode))
      if (error == Errors.NONE)
        request.settle(Outcome.DONE, null)
      else
        request.settle(Outcome.REFUSED, s"election: $error")
    }
  }

  private def firstError(ofResponse: Short, ofPartitions: Iterable[Short]): Errors =
    (Iterable(ofResponse) ++ ofPartitions).map(Errors.forCode).find(_ != Errors.NONE).getOrElse(Errors.NONE)

  private def ifStillLed(request: Request)(next: => Unit): Unit = {
    if (request.led.isLed && request.led.leaderEpoch == request.decision.leaderEpoch)
      next
    else
      request.settle(Outcome.FAILED, "this broker no longer leads in that epoch")
  }

  /** Send a request to the controller; the response is handled on the channel's thread. */
  private def send(request: Request, builder: AbstractRequest.Builder[_ <: AbstractRequest])(handle: ClientResponse => Unit): Unit = {
    channel.sendRequest(builder, new ControllerRequestCompletionHandler {
      override def onComplete(response: ClientResponse): Unit = {
        if (response.hasResponse)
          handle(response)
        else
          request.settle(Outcome.REFUSED, Errors.NETWORK_EXCEPTION.name)
      }

      override def onTimeout(): Unit = request.settle(Outcome.REFUSED, Errors.NETWORK_EXCEPTION.name)
    })
  }
}
