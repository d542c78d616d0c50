package org.apache.kafka.server.replica.pending;

import org.apache.kafka.common.Uuid;

import java.util.Optional;

/** A partition that this broker leads. Its methods take no lock. */
public interface LedPartition {

    String topic();

    int partition();

    int leaderEpoch();

    Optional<Uuid> topicId();
}
