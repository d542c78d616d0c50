package insync.agent.adapter;

import insync.agent.config.DynamicBrokerConfigHooks;

/** Names the woven classes of the broker that differ between versions from 3.6 on. */
public final class KafkaClasses {
    private final String replica;
    private final String log;
    private final String localLog =
        MovedClass.to("kafka.log.LocalLog", "org.apache.kafka.storage.internals.log.LocalLog");
    private final String fetchParams = MovedClass.to("org.apache.kafka.storage.internals.log.FetchParams",
        "org.apache.kafka.server.storage.log.FetchParams");
    private final String fileRecords = MovedClass.to("org.apache.kafka.common.record.FileRecords",
        "org.apache.kafka.common.record.internal.FileRecords");
    private final String apiVersions =
        MovedClass.to("kafka.server.ApiVersionManager", "org.apache.kafka.server.ApiVersionManager");
    private final String request =
        MovedClass.to("kafka.network.RequestChannel$Request", "org.apache.kafka.network.Request");
    private final String dynamicConfigs = MovedClass.to(DynamicBrokerConfigHooks.JAVA, DynamicBrokerConfigHooks.SCALA);

    /**
     * @param replica a remote replica of a partition
     * @param log a partition's log
     */
    public KafkaClasses(String replica, String log) {
        this.replica = replica;
        this.log = log;
    }

    String replica() {
        return replica;
    }

    String log() {
        return log;
    }

    /** Returns the class of the segments of a partition's log. */
    String localLog() {
        return localLog;
    }

    /** Returns the class of a fetch's parameters. */
    String fetchParams() {
        return fetchParams;
    }

    /** Returns the class of records in a file. */
    String fileRecords() {
        return fileRecords;
    }

    /** Returns the class that knows which requests a listener takes, and so whose it is. */
    String apiVersions() {
        return apiVersions;
    }

    /** Returns the class that lists the configs that can be updated at run time. */
    String dynamicConfigs() {
        return dynamicConfigs;
    }

    /** Returns the class of a request in the request channel. */
    String request() {
        return request;
    }
}
