package insync.agent.v4_1;

import java.util.List;
import java.util.stream.Collectors;
import kafka.cluster.Partition;
import scala.jdk.javaapi.CollectionConverters;

/** A partition's assignment is Scala in 4.1. */
final class Access extends JavaAccess {

    @Override
    public List<Integer> replicas(Partition partition) {
        return CollectionConverters.asJava(partition.assignmentState().replicas()).stream()
            .map(id -> (Integer) id).collect(Collectors.toList());
    }
}
