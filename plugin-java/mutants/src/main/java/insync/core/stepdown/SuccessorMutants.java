package insync.core.stepdown;

import java.util.List;
import net.bytebuddy.asm.Advice;

/** Mutants of who may lead after a step-down. */
public final class SuccessorMutants {

    private SuccessorMutants() { }

    /** A live broker outside of the ISR comes first. */
    public static final class OutsideFirst {
        @Advice.OnMethodExit
        static void exit(@Advice.FieldValue("self") int self, @Advice.Argument(0) PartitionView of,
                         @Advice.Argument(1) Peers peers, @Advice.Return List<Integer> order) {
            for (int id = 0; id < 100; id++) {
                if (id != self && peers.isLive(id) && !order.contains(id)) {
                    order.add(0, id);
                    break;
                }
            }
        }
    }

    /** The controller takes any request of a leader that names itself last, and a new member first. */
    public static final class AnyMembers {
        @Advice.OnMethodExit
        static void exit(@Advice.Argument(0) int[] isr, @Advice.Argument(1) int leader, @Advice.Argument(2) int[] asked,
                         @Advice.Return(readOnly = false) boolean asks) {
            boolean outside = asked.length > 1 && asked[asked.length - 1] == leader;
            for (int member : isr) {
                outside &= member != asked[0];
            }
            asks |= outside;
        }
    }
}
