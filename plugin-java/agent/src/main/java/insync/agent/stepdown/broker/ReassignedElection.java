package insync.agent.stepdown.broker;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import insync.core.Insync;
import insync.core.stepdown.Decision;
import insync.core.stepdown.Outcome;
import insync.core.stepdown.StepDownRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.AlterPartitionReassignmentsRequest;
import org.apache.kafka.common.requests.AlterPartitionReassignmentsResponse;
import org.apache.kafka.common.requests.ElectLeadersRequest;
import org.apache.kafka.common.requests.ElectLeadersResponse;
import org.apache.kafka.common.requests.ListPartitionReassignmentsRequest;
import org.apache.kafka.common.requests.ListPartitionReassignmentsResponse;

/**
 * Gives leadership away under any controller, with the two requests that an operator would send: a reassignment to the
 * same replicas with the successor first, then a preferred election. The order stays, so automatic preferred elections do
 * not undo it. Needs ALTER on the cluster, which brokers have as super users.
 *
 * <p>A reassignment carries no epoch, so it would replace one that an operator has begun. So it follows an AlterPartition,
 * whose partition epoch was right, and the controller is asked for reassignments under way: only a change that it makes
 * within the last round trip is overwritten.
 */
final class ReassignedElection {
    private static final int TIMEOUT_MS = 30_000;

    private final int self;
    private final ControllerLink manager;
    private final ControllerAccess controller;

    ReassignedElection(int self, ControllerLink manager, ControllerAccess controller) {
        this.self = self;
        this.manager = manager;
        this.controller = controller;
    }

    void begin(StepDownRequest<LedPartition> one) {
        Decision decision = one.decision();
        ListPartitionReassignmentsTopics topic = new ListPartitionReassignmentsTopics().setName(decision.topic())
            .setPartitionIndexes(List.of(decision.partition()));
        controller.send(manager, new ListPartitionReassignmentsRequest.Builder(new ListPartitionReassignmentsRequestData()
            .setTimeoutMs(TIMEOUT_MS).setTopics(List.of(topic))), answer -> reassign(one, answer));
    }

    private void reassign(StepDownRequest<LedPartition> one, ClientResponse answer) {
        Errors error = error(answer, ReassignedElection::listError);
        if (error != Errors.NONE) {
            one.settle(Outcome.REFUSED, error.name());
        } else if (one.led().kafkaPartition().isReassigning() || isReassigning(answer)) {
            one.settle(Outcome.FAILED, "another reassignment is under way");
        } else if (!isLedStill(one)) {
            one.settle(Outcome.FAILED, "this broker no longer leads in that epoch");
        } else {
            reassign(one);
        }
    }

    private void reassign(StepDownRequest<LedPartition> one) {
        Decision decision = one.decision();
        ReassignableTopic topic = new ReassignableTopic().setName(decision.topic());
        topic.partitions().add(new ReassignablePartition().setPartitionIndex(decision.partition())
            .setReplicas(order(decision, one.led())));
        AlterPartitionReassignmentsRequestData data = new AlterPartitionReassignmentsRequestData()
            .setTimeoutMs(TIMEOUT_MS);
        data.topics().add(topic);
        controller.send(manager, new AlterPartitionReassignmentsRequest.Builder(data),
            answer -> next(one, error(answer, ReassignedElection::reassignError)));
    }

    private static boolean isLedStill(StepDownRequest<LedPartition> one) {
        return one.led().isLed() && one.led().leaderEpoch() == one.decision().leaderEpoch();
    }

    private static boolean isReassigning(ClientResponse answer) {
        return ((ListPartitionReassignmentsResponse) answer.responseBody()).data().topics().stream()
            .anyMatch(topic -> !topic.partitions().isEmpty());
    }

    /** Returns the assignment in the order of the decision: members of the ISR first, this broker last. */
    private List<Integer> order(Decision decision, LedPartition led) {
        List<Integer> order = new ArrayList<>();
        for (int id : decision.isr()) {
            if (id != self) {
                order.add(id);
            }
        }
        for (int id : led.assigned()) {
            if (id != self && !order.contains(id)) {
                order.add(id);
            }
        }
        order.add(self);
        return order;
    }

    private void next(StepDownRequest<LedPartition> one, Errors error) {
        if (error != Errors.NONE) {
            one.settle(Outcome.REFUSED, error.name());
        } else if (!isLedStill(one)) {
            one.settle(Outcome.FAILED, "this broker no longer leads in that epoch");
        } else {
            elect(one);
        }
    }

    private void elect(StepDownRequest<LedPartition> one) {
        TopicPartition id = new TopicPartition(one.decision().topic(), one.decision().partition());
        controller.send(manager, new ElectLeadersRequest.Builder(ElectionType.PREFERRED, List.of(id), TIMEOUT_MS),
            answer -> {
                Errors error = error(answer, ReassignedElection::electError);
                one.settle(error == Errors.NONE ? Outcome.DONE : Outcome.REFUSED,
                    error == Errors.NONE ? null : "election: " + error);
            });
    }

    private static Errors error(ClientResponse answer, Function<AbstractResponse, Errors> of) {
        try {
            if (answer == null || answer.responseBody() == null) {
                return Errors.NETWORK_EXCEPTION;
            }
            return of.apply(answer.responseBody());
        } catch (RuntimeException unexpected) {
            Insync.failed(unexpected);
            return Errors.UNKNOWN_SERVER_ERROR;
        }
    }

    private static Errors listError(AbstractResponse response) {
        return Errors.forCode(((ListPartitionReassignmentsResponse) response).data().errorCode());
    }

    private static Errors reassignError(AbstractResponse response) {
        AlterPartitionReassignmentsResponse answer = (AlterPartitionReassignmentsResponse) response;
        Errors top = Errors.forCode(answer.data().errorCode());
        return top != Errors.NONE ? top
            : Errors.forCode(answer.data().responses().get(0).partitions().get(0).errorCode());
    }

    private static Errors electError(AbstractResponse response) {
        ElectLeadersResponse answer = (ElectLeadersResponse) response;
        Errors top = Errors.forCode(answer.data().errorCode());
        return top != Errors.NONE ? top
            : Errors.forCode(answer.data().replicaElectionResults().get(0).partitionResult().get(0).errorCode());
    }
}
