package insync.clients;

import com.sun.management.ThreadMXBean;
import com.sun.tools.attach.VirtualMachine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadInfo;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Reads counters of brokers on this host from outside, over the attach interface of their JVMs; no broker needs a setting
 * or an agent for it.
 *
 * <p>The arguments are process ids. For each line of its input it prints one line per JVM, in the order of the arguments:
 * {@code NAME=VALUE} pairs, separated by spaces. The line {@code collect} first makes each JVM collect its garbage. It ends
 * with its input.
 *
 * <table>
 * <caption>Counters; all but {@code heap} only ever grow</caption>
 * <tr><td>{@code fetches}</td><td>fetch requests of followers that the broker has answered</td></tr>
 * <tr><td>{@code evicted}</td><td>fetch sessions that the broker has evicted for others</td></tr>
 * <tr><td>{@code closed}</td><td>connections that have ended at the broker, whichever side closed them</td></tr>
 * <tr><td>{@code bytes.GROUP}</td><td>bytes that the living threads of a group have allocated</td></tr>
 * <tr><td>{@code cpu.GROUP}</td><td>nanoseconds of CPU time that these threads have used</td></tr>
 * <tr><td>{@code blocked.GROUP}</td><td>how often these threads waited for a monitor</td></tr>
 * <tr><td>{@code waited.GROUP}</td><td>how often they waited or parked, as for a lock that another thread holds</td></tr>
 * <tr><td>{@code heap}</td><td>bytes of the heap in use</td></tr>
 * </table>
 */
public final class Observer {
    private static final String FOLLOWERS = "kafka.network:type=RequestMetrics,name=RequestsPerSec,request=FetchFollower,*";
    /** One object up to Kafka 3.6, since then one per part of the cache. */
    private static final String EVICTED = "kafka.server:type=FetchSessionCache*,name=IncrementalFetchSessionEvictionsPerSec,*";
    private static final String CONNECTIONS = "kafka.server:type=socket-server-metrics,listener=*,networkProcessor=*";
    private static final String[] GROUPS = {"handler", "network", "reaper", "fetcher", "scheduler", "other"};

    private final MBeanServerConnection server;
    private final ThreadMXBean threads;
    private final MemoryMXBean memory;

    private Observer(MBeanServerConnection server) throws IOException {
        this.server = server;
        threads = ManagementFactory.newPlatformMXBeanProxy(server, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        memory = ManagementFactory.newPlatformMXBeanProxy(server, ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
    }

    /** See the class. */
    public static void main(String[] pids) throws Exception {
        List<JMXConnector> connectors = new ArrayList<>();
        try {
            List<Observer> observers = new ArrayList<>();
            for (String pid : pids) {
                JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(addressOf(pid)));
                connectors.add(connector);
                observers.add(new Observer(connector.getMBeanServerConnection()));
            }
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                for (Observer observer : observers) {
                    System.out.println(observer.read(line.equals("collect")));
                }
                System.out.flush();
            }
        } finally {
            for (JMXConnector connector : connectors) {
                connector.close();
            }
        }
    }

    private static String addressOf(String pid) throws Exception {
        VirtualMachine broker = VirtualMachine.attach(pid);
        try {
            return broker.startLocalManagementAgent();
        } finally {
            broker.detach();
        }
    }

    private String read(boolean collect) throws IOException, JMException {
        if (collect) {
            memory.gc();
        }
        Map<String, Long> found = new LinkedHashMap<>();
        found.put("fetches", sum(FOLLOWERS, "Count"));
        found.put("evicted", sum(EVICTED, "Count"));
        found.put("closed", sum(CONNECTIONS, "connection-close-total"));
        // The threads first, and their bytes of one call: what JMX itself allocates is in the group "other".
        long[] ids = threads.getAllThreadIds();
        long[] bytes = threads.getThreadAllocatedBytes(ids);
        long[] cpuNanos = threads.getThreadCpuTime(ids);
        ThreadInfo[] infos = threads.getThreadInfo(ids);
        Map<String, long[]> groups = new TreeMap<>();
        for (String group : GROUPS) {
            groups.put(group, new long[4]);
        }
        for (int i = 0; i < ids.length; i++) {
            if (infos[i] != null && bytes[i] >= 0) {
                long[] sums = groups.get(groupOf(infos[i].getThreadName()));
                sums[0] += bytes[i];
                sums[1] += infos[i].getBlockedCount();
                sums[2] += infos[i].getWaitedCount();
                sums[3] += Math.max(0, cpuNanos[i]);
            }
        }
        groups.forEach((group, sums) -> {
            found.put("bytes." + group, sums[0]);
            found.put("blocked." + group, sums[1]);
            found.put("waited." + group, sums[2]);
            found.put("cpu." + group, sums[3]);
        });
        found.put("heap", memory.getHeapMemoryUsage().getUsed());
        StringBuilder line = new StringBuilder();
        found.forEach((name, value) -> line.append(line.length() == 0 ? "" : " ").append(name).append('=').append(value));
        return line.toString();
    }

    /** Adds up an attribute of all metrics that a pattern names, such as those of each version of a request. */
    private long sum(String pattern, String attribute) throws IOException, JMException {
        long count = 0;
        for (ObjectName name : server.queryNames(new ObjectName(pattern), null)) {
            count += ((Number) server.getAttribute(name, attribute)).longValue();
        }
        return count;
    }

    /** Returns the group of a thread by the name that Kafka gives it. */
    static String groupOf(String thread) {
        if (thread.contains("kafka-request-handler-")) {
            return "handler";
        }
        if (thread.contains("kafka-network-thread-")) {
            return "network";
        }
        if (thread.startsWith("ExpirationReaper-") || thread.startsWith("executor-")) {
            return "reaper";
        }
        if (thread.startsWith("kafka-scheduler-")) {
            return "scheduler";
        }
        return thread.startsWith("ReplicaFetcherThread-") ? "fetcher" : "other";
    }
}
