package insync.agent.stepdown.broker;

/** Woven into Kafka's Partition: the leader epoch that is known to be over, though the partition may not know it yet. */
public interface PartitionCarrier {

    /** One more than the last leader epoch that is over; 0 for none. */
    int insync$over();

    void insync$over(int over);
}
