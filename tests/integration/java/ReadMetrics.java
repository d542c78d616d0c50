import com.sun.tools.attach.VirtualMachine;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Prints "name=value" of the metrics of a JVM on this host: those in the domain insync, or those of a pattern that have an
 * attribute.
 */
public final class ReadMetrics {

    /** @param arguments the JVM's process id; the pattern of the metrics' names and their attribute, if not ours */
    public static void main(String[] arguments) throws Exception {
        ObjectName wanted = new ObjectName(arguments.length > 1 ? arguments[1] : "insync:name=*,*");
        String attribute = arguments.length > 1 ? arguments[2] : "Value";
        VirtualMachine broker = VirtualMachine.attach(arguments[0]);
        String address = broker.startLocalManagementAgent();
        broker.detach();
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            MBeanServerConnection server = connector.getMBeanServerConnection();
            for (ObjectName name : server.queryNames(wanted, null)) {
                try {
                    System.out.println(name.getCanonicalName() + "=" + server.getAttribute(name, attribute));
                } catch (AttributeNotFoundException none) {
                    continue;
                }
            }
        }
    }
}
