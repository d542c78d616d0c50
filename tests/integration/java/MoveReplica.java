import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartitionReplica;

/** Moves a broker's replica of a partition to another of its log directories; prints the previous directory. */
public final class MoveReplica {

    /** @param arguments bootstrap address, topic, partition, broker id, directory */
    public static void main(String[] arguments) throws Exception {
        TopicPartitionReplica replica = new TopicPartitionReplica(arguments[1], Integer.parseInt(arguments[2]),
            Integer.parseInt(arguments[3]));
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", arguments[0]))) {
            String before = admin.describeReplicaLogDirs(java.util.List.of(replica)).all().get().get(replica)
                .getCurrentReplicaLogDir();
            admin.alterReplicaLogDirs(Map.of(replica, arguments[4])).all().get();
            System.out.println(before);
        }
    }
}
