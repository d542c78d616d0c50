package insync.agent.adapter;

/** The names of those of the broker's classes to weave that are not the same in all versions from 3.9 on. */
public final class BrokerClasses {
    private final String replica;
    private final String fileRecords;
    private final String request;
    private final String log;

    /**
     * @param replica a remote replica of a partition
     * @param fileRecords records in a file
     * @param request a request in the request channel
     * @param log a partition's log
     */
    public BrokerClasses(String replica, String fileRecords, String request, String log) {
        this.replica = replica;
        this.fileRecords = fileRecords;
        this.request = request;
        this.log = log;
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

    String log() {
        return log;
    }
}
