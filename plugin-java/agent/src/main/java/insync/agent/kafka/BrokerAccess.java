package insync.agent.kafka;

import java.util.ArrayList;
import java.util.List;
import kafka.cluster.Partition;
import org.apache.kafka.common.TopicPartition;
import scala.collection.Iterable;
import scala.collection.Iterator;

/** Reads a broker by types that differ between versions; each adapter implements it. Takes no lock. */
public interface BrokerAccess {

    /** Returns the partition of a key in the arguments of fetchMessages. */
    TopicPartition partition(Object key);

    /** Returns the broker ids of a partition's replicas in the order of the assignment. */
    List<Integer> replicas(Partition partition);

    /** Returns broker ids of one of Scala's collections. */
    static List<Integer> ids(Iterable<Object> ids) {
        List<Integer> all = new ArrayList<>();
        Iterator<Object> each = ids.iterator();
        while (each.hasNext()) {
            all.add((Integer) each.next());
        }
        return all;
    }
}
