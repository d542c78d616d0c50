package insync.agent.stepdown.broker;

import java.nio.channels.Selector;

/** Woven into Kafka's Selector: Java's own, whose set of keys any thread may read. */
public interface SelectorCarrier {

    Selector insync$nio();
}
