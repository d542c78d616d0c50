package insync.agent.kafka;

import insync.core.RequestScope;

/** Woven into Kafka's RequestChannel: scope "request" of its broker, null where that is off. */
public interface ChannelCarrier {

    void insync$scope(RequestScope scope);
}
