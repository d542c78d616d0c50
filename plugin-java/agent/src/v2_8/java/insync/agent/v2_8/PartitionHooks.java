package insync.agent.v2_8;

import insync.agent.weave.TypeHooks;

/** Weaves Kafka's Partition, without what is of scope "request". */
final class PartitionHooks extends TypeHooks {

    PartitionHooks() {
        super(insync.agent.isr.PartitionHooks.TYPE);
        on("isFollowerOutOfSync", insync.agent.isr.PartitionHooks.IsFollowerOutOfSync.class);
        on("makeLeader", insync.agent.isr.PartitionHooks.MakeLeader.class);
        on("makeFollower", insync.agent.isr.PartitionHooks.MakeFollower.class);
    }
}
