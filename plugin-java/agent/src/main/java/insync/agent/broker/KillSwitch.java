package insync.agent.broker;

import insync.core.Insync;
import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * Lets an operator turn the whole agent off at once over JMX: the operation {@code disable} of {@value #NAME}. Unlike a config
 * update it does not depend on the controller, and it does not wait for pending fetches.
 */
public final class KillSwitch implements KillSwitchMBean {
    public static final String NAME = "insync:type=Agent";

    private KillSwitch() { }

    /** Registers the MBean; called when this JVM reads a broker's configs, so Kafka has set up its logging by then. */
    public static void register() {
        try {
            ObjectName name = new ObjectName(NAME);
            if (!ManagementFactory.getPlatformMBeanServer().isRegistered(name)) {
                ManagementFactory.getPlatformMBeanServer().registerMBean(
                    new StandardMBean(new KillSwitch(), KillSwitchMBean.class), name);
            }
        } catch (JMException refused) {
            Insync.failed(refused);
        }
    }

    @Override
    public void disable() {
        Insync.disable("disabled over JMX");
        Brokers.stopAll();
    }

    @Override
    public boolean isDisabled() {
        return Insync.isDisabled();
    }
}
