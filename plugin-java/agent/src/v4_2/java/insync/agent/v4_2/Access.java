package insync.agent.v4_2;

import insync.agent.v4_1.JavaAccess;
import java.util.List;
import kafka.cluster.Partition;

/** A partition's assignment is Java from 4.2 on. */
final class Access extends JavaAccess {

    @Override
    public List<Integer> replicas(Partition partition) {
        return partition.assignmentState().replicas();
    }
}
