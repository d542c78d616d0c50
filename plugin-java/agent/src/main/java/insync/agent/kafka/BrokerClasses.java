package insync.agent.kafka;

/** The names of those of the broker's classes to weave that are not the same in all versions from 3.9 on. */
public final class BrokerClasses {
    private final String replica;
    private final String fileRecords;
    private final String request;

    /**
     * @param replica a remote replica of a partition
     * @param fileRecords records in a file
     * @param request a request in the request channel
     */
    public BrokerClasses(String replica, String fileRecords, String request) {
        this.replica = replica;
        this.fileRecords = fileRecords;
        this.request = request;
    }

    String replica() {
        return replica;
    }

    String fileRecords() {
        return fileRecords;
    }

    String request() {
        return request;
    }
}
