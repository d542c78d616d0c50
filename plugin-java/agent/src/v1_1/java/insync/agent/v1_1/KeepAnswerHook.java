package insync.agent.v1_1;

import insync.agent.weave.Hook;
import insync.core.Insync;
import net.bytebuddy.asm.Advice;

/**
 * KAFKA-7104's second fix. If a follower's fetch moved the high or low watermark, 1.1.0 puts the leader's present high
 * watermark, log start offset and log end offset into the answer, over those of the read. It asks this method whether
 * it moved them and uses the answer for nothing else; 1.1.1 does not use it at all.
 */
final class KeepAnswerHook extends Hook {

    KeepAnswerHook() {
        super("kafka.cluster.Partition", "updateReplicaLogReadResult", Keep.class);
    }

    static final class Keep {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.Return(readOnly = false) boolean moved) {
            if (moved) {
                moved = false;
                Insync.current().logStarts().snapshot();
            }
        }
    }
}
