package insync.agent.stepdown.broker;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import insync.core.Clock;
import insync.core.Insync;
import insync.core.stepdown.Decision;
import insync.core.stepdown.Outcome;
import insync.core.stepdown.StepDownRequest;
import insync.core.stepdown.StepDownRequests;
import insync.core.stepdown.StepDownSettings;
import insync.core.stepdown.StepDownSettings.Via;
import insync.core.stepdown.StepDownWatch;
import insync.core.stepdown.controller.RelinquishTag;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import kafka.cluster.Partition;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.protocol.Errors;

/**
 * Executes a decision: sends AlterPartition with the ISR in the requested order and this broker last. If the
 * controller ignores that, asks for {@link SelfFencing}. No thread waits: responses come on the channel's thread.
 */
final class Relinquisher {
    private static final String ALTER_PARTITION = StepDownSettings.name(Via.ALTER_PARTITION);
    private static final String FENCE = StepDownSettings.name(Via.FENCE);

    private final int self;
    private final Clock clock;
    private final StepDownSettings settings;
    private final ControllerLink manager;
    private final ControllerAccess controller;
    private final StepDownRequests<LedPartition> handovers;
    private final ObjIntConsumer<Partition> over;
    private final Consumer<StepDownRequest<LedPartition>> fence;
    private final BooleanSupplier isOff;
    /** Whether the controller has the agent, as far as it is known. */
    private volatile boolean mayBeWoven = true;

    /**
     * @param over receives each leader epoch of this broker that is over
     * @param fence receives each step-down for which this broker is to be fenced
     * @param isOff whether the feature was turned off
     */
    Relinquisher(int self, Clock clock, StepDownSettings settings, ControllerLink manager, ControllerAccess controller,
                 StepDownRequests<LedPartition> handovers, ObjIntConsumer<Partition> over,
                 Consumer<StepDownRequest<LedPartition>> fence, BooleanSupplier isOff) {
        this.self = self;
        this.clock = clock;
        this.settings = settings;
        this.manager = manager;
        this.controller = controller;
        this.handovers = handovers;
        this.over = over;
        this.fence = fence;
        this.isOff = isOff;
    }

    void controllerIsWoven(boolean woven) {
        mayBeWoven = woven;
    }

    /** @param led null if the partition was removed meanwhile */
    void carryOut(Decision decision, LedPartition led) {
        // A stock controller takes the order of the ISR. This broker would wait for a stalled read's lock to apply that, and learn
        // of no new leader after it.
        boolean fences = settings.via() == Via.FENCE || settings.via() == Via.AUTO && !mayBeWoven;
        StepDownRequest<LedPartition> one = handovers.begin(decision, led, fences ? FENCE : ALTER_PARTITION);
        try {
            if (led == null || !led.isLed() || led.leaderEpoch() != decision.leaderEpoch) {
                one.settle(Outcome.FAILED, "this broker no longer leads in that epoch");
            } else if (fences) {
                fence.accept(one);
            } else {
                alterPartition(one);
            }
        } catch (RuntimeException | Error failed) {
            Insync.failed(failed);
            one.settle(Outcome.FAILED, failed.toString());
        }
    }

    /** Sends AlterPartition, which the controller refuses if the partition has changed since this broker read it. */
    private void alterPartition(StepDownRequest<LedPartition> one) {
        Decision decision = one.decision;
        LedPartition led = one.led;
        Partition partition = led.kafka;
        // Reads the epoch first. Kafka writes it after the state, so the state is never older; a newer state is refused.
        int partitionEpoch = partition.getPartitionEpoch();
        if (led.leaderEpoch() != decision.leaderEpoch || led.isChanging()
                || !decision.names(led.isr(), self)) {
            one.settle(Outcome.FAILED, "the partition changed meanwhile");
            return;
        }
        controller
            .alterPartition(manager, partition, decision.leaderEpoch, partitionEpoch, order(decision, led), led.recovery())
            .whenComplete((leader, error) -> {
                try {
                    answered(one, leader, error);
                } catch (RuntimeException | Error failed) {
                    Insync.failed(failed);
                }
            });
    }

    /** Returns the members with their broker epochs; this broker last, with the tag for a woven controller. */
    private List<BrokerState> order(Decision decision, LedPartition led) {
        List<BrokerState> order = new ArrayList<>();
        for (int id : decision.isr()) {
            if (id != self) {
                order.add(new BrokerState().setBrokerId(id).setBrokerEpoch(led.brokerEpoch(id)));
            }
        }
        BrokerState last = new BrokerState().setBrokerId(self).setBrokerEpoch(-1);
        byte[] asked = RelinquishTag.encode(decision.leaves, decision.restNanos / 1_000_000L, decision.reason);
        last.unknownTaggedFields().add(new TimedTag(RelinquishTag.TAG, asked, () -> isOver(decision)));
        order.add(last);
        return order;
    }

    /** Returns whether a request comes too late: the broker may be well again, or the feature off. */
    private boolean isOver(Decision decision) {
        return isOff.getAsBoolean() || clock.nanos() - decision.atNanos > StepDownWatch.ANSWER_NANOS;
    }

    private void answered(StepDownRequest<LedPartition> one, Integer leader, Throwable error) {
        if (error == null) {
            notHonoured(one, leader);
            return;
        }
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        Errors code = Errors.forException(cause);
        if (code == Errors.NEW_LEADER_ELECTED) {
            one.settle(Outcome.DONE, null);
            over.accept(one.led.kafka, one.decision.leaderEpoch);
        } else if (code == Errors.FENCED_LEADER_EPOCH) {
            one.doubt(code.name());
        } else {
            one.settle(code == Errors.OPERATION_NOT_ATTEMPTED ? Outcome.FAILED : Outcome.REFUSED, code.name());
        }
    }

    /** Handles the response of a controller that accepted the ISR and kept the leader. */
    private void notHonoured(StepDownRequest<LedPartition> one, int leader) {
        if (settings.via() != Via.ALTER_PARTITION && leader == self && !isOver(one.decision)) {
            one.way(FENCE);
            fence.accept(one);
        } else {
            one.settle(Outcome.REFUSED, "the controller kept the leader");
        }
    }

    /**
     * Makes Kafka's manager send simultaneous ISR changes with one AlterPartition. Without it the manager sends the first
     * change at once and the others after its response, as two metadata changes. A broker whose reads stall blocks in the
     * first one, in makeFollower, and meanwhile answers clients that it still leads the partitions of the second one.
     *
     * @param submits must return at once, because the manager sends nothing to the controller meanwhile
     */
    static void atOnce(ControllerLink manager, Runnable submits) {
        AtomicBoolean inFlight = manager.insync$inFlight();
        boolean claimed = inFlight.compareAndSet(false, true);
        try {
            submits.run();
        } finally {
            // If a request was under way, all changes wait for its response and then go together.
            if (claimed) {
                inFlight.set(false);
                manager.insync$propagate();
            }
        }
    }
}
