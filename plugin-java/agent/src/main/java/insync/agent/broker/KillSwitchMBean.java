package insync.agent.broker;

/** The JMX interface of {@link KillSwitch}. */
public interface KillSwitchMBean {

    /** Makes every woven hook a no-op until the JVM ends. A run in which it happens is invalid. */
    void disable();

    /** Returns whether that happened. */
    boolean isDisabled();
}
