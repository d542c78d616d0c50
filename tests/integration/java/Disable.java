import com.sun.tools.attach.VirtualMachine;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** Disables the agent in a JVM on this host over JMX; prints before and after whether it is disabled. */
public final class Disable {

    /** @param arguments the JVM's process id */
    public static void main(String[] arguments) throws Exception {
        VirtualMachine broker = VirtualMachine.attach(arguments[0]);
        String address = broker.startLocalManagementAgent();
        broker.detach();
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            ObjectName agent = new ObjectName("insync:type=Agent");
            System.out.println(server.getAttribute(agent, "Disabled"));
            server.invoke(agent, "disable", null, null);
            System.out.println(server.getAttribute(agent, "Disabled"));
        }
    }
}
