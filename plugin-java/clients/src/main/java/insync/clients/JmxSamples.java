package insync.clients;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Reads figures and stacks of brokers over JMX: of stock brokers, on any host, that open a JMX port.
 *
 * <p>The arguments are a time limit in milliseconds, and {@code ID=HOST:PORT} for each broker. For each line of its input it
 * prints one JSON object per broker, in the order of the arguments: {@code id}, and either {@code error}, or {@code figures}
 * and {@code threads}. All brokers are asked at the same time. It ends with its input.
 *
 * <p>{@code figures} only ever grow, except {@code queue} (requests that wait for a handler) and {@code under} (partitions
 * whose ISR lacks a replica). {@code uptime}, {@code cpu} and {@code gc} are milliseconds; {@code sum.TIME.REQUEST} is the sum
 * of a time of all requests of a kind, milliseconds, and {@code count.REQUEST} their number; {@code fetches.LEADER} is how
 * many fetches this broker has sent to a leader.
 *
 * <p>{@code threads} are the request handlers, network threads and fetchers: {@code id}, {@code name}, and the frames of the
 * stack as CLASS.METHOD, the innermost first.
 */
public final class JmxSamples {
    private static final String[] REQUESTS = {"Produce", "FetchFollower"};
    private static final String[] TIMES = {"RequestQueueTimeMs", "LocalTimeMs", "ResponseQueueTimeMs", "ResponseSendTimeMs"};
    private static final String FETCHES = "kafka.server:type=FetcherStats,name=RequestsPerSec,*";
    private static final String FETCHER = "ReplicaFetcherThread-";
    private static final int FRAMES = 40;

    private final int id;
    private final String address;
    private MBeanServerConnection server;

    private JmxSamples(int id, String address) {
        this.id = id;
        this.address = address;
    }

    /** See the class. */
    public static void main(String[] arguments) throws Exception {
        long limitMs = Long.parseLong(arguments[0]);
        List<JmxSamples> brokers = new ArrayList<>();
        for (int i = 1; i < arguments.length; i++) {
            int equals = arguments[i].indexOf('=');
            brokers.add(new JmxSamples(Integer.parseInt(arguments[i].substring(0, equals)), arguments[i].substring(equals + 1)));
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (in.readLine() != null) {
            List<FutureTask<String>> asked = new ArrayList<>();
            for (JmxSamples broker : brokers) {
                asked.add(ask(broker));
            }
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
            for (int i = 0; i < brokers.size(); i++) {
                System.out.println(answer(brokers.get(i).id, asked.get(i), end, limitMs));
            }
            System.out.flush();
        }
    }

    /** Asks on a thread of its own, because a frozen broker keeps a connection open and never answers. */
    private static FutureTask<String> ask(JmxSamples broker) {
        FutureTask<String> task = new FutureTask<>(broker::read);
        Thread thread = new Thread(task, "ask-" + broker.id);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static String answer(int id, FutureTask<String> asked, long endNanos, long limitMs) throws InterruptedException {
        try {
            return asked.get(Math.max(1, endNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            return failed(id, "no answer within " + limitMs + " ms");
        } catch (ExecutionException failed) {
            return failed(id, String.valueOf(failed.getCause()));
        }
    }

    private static String failed(int id, String why) {
        return "{\"id\":" + id + ",\"error\":" + Line.quoted(why) + "}";
    }

    private String read() throws IOException, JMException {
        MBeanServerConnection asked = connected();
        Map<String, Long> figures = figures(asked);
        ThreadMXBean threads =
            ManagementFactory.newPlatformMXBeanProxy(asked, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        StringBuilder line = new StringBuilder("{\"id\":").append(id).append(",\"figures\":{");
        String comma = "";
        for (Map.Entry<String, Long> each : figures.entrySet()) {
            line.append(comma).append(Line.quoted(each.getKey())).append(':').append(each.getValue());
            comma = ",";
        }
        line.append("},\"threads\":[");
        comma = "";
        for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds(), FRAMES)) {
            if (info != null && isKafkas(info.getThreadName())) {
                line.append(comma).append(thread(info));
                comma = ",";
            }
        }
        return line.append("]}").toString();
    }

    /** Returns the connection, which the first answer made. An answer that came too late is used by the next one. */
    private synchronized MBeanServerConnection connected() throws IOException {
        if (server == null) {
            JMXConnector connector =
                JMXConnectorFactory.connect(new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + address + "/jmxrmi"));
            server = connector.getMBeanServerConnection();
        }
        return server;
    }

    private static Map<String, Long> figures(MBeanServerConnection asked) throws IOException, JMException {
        Map<String, Long> found = new LinkedHashMap<>();
        RuntimeMXBean runtime =
            ManagementFactory.newPlatformMXBeanProxy(asked, ManagementFactory.RUNTIME_MXBEAN_NAME, RuntimeMXBean.class);
        found.put("uptime", runtime.getUptime());
        found.put("cpu", number(asked, "java.lang:type=OperatingSystem", "ProcessCpuTime") / 1_000_000L);
        found.put("gc", number(asked, "java.lang:type=GarbageCollector,*", "CollectionTime"));
        found.put("shrinks", number(asked, "kafka.server:type=ReplicaManager,name=IsrShrinksPerSec", "Count"));
        found.put("under", number(asked, "kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions", "Value"));
        found.put("queue", number(asked, "kafka.network:type=RequestChannel,name=RequestQueueSize", "Value"));
        for (String request : REQUESTS) {
            for (String time : TIMES) {
                double[] sum = total(asked, "kafka.network:type=RequestMetrics,name=" + time + ",request=" + request);
                found.put("count." + request, (long) sum[0]);
                found.put("sum." + time + "." + request, Math.round(sum[1]));
            }
        }
        for (ObjectName name : asked.queryNames(new ObjectName(FETCHES), null)) {
            String leader = leaderOf(name.getKeyProperty("clientId"));
            if (leader != null) {
                found.merge("fetches." + leader, ((Number) asked.getAttribute(name, "Count")).longValue(), Long::sum);
            }
        }
        return found;
    }

    /** Adds up an attribute of all MBeans that a pattern names. */
    private static long number(MBeanServerConnection asked, String pattern, String attribute) throws IOException, JMException {
        long sum = 0;
        for (ObjectName name : asked.queryNames(new ObjectName(pattern), null)) {
            sum += ((Number) asked.getAttribute(name, attribute)).longValue();
        }
        return sum;
    }

    /** Returns how many values a histogram got, and their sum: its mean is over all of them. */
    private static double[] total(MBeanServerConnection asked, String pattern) throws IOException, JMException {
        double[] sum = new double[2];
        for (ObjectName name : asked.queryNames(new ObjectName(pattern), null)) {
            double count = ((Number) asked.getAttribute(name, "Count")).doubleValue();
            sum[0] += count;
            sum[1] += count * ((Number) asked.getAttribute(name, "Mean")).doubleValue();
        }
        return sum;
    }

    /** Returns the leader's id in the client id of a fetcher, ReplicaFetcherThread-NUMBER-LEADER; otherwise null. */
    static String leaderOf(String clientId) {
        if (clientId == null || !clientId.startsWith(FETCHER)) {
            return null;
        }
        String leader = clientId.substring(clientId.lastIndexOf('-') + 1);
        return leader.chars().allMatch(Character::isDigit) && !leader.isEmpty() ? leader : null;
    }

    /** Returns whether a thread is one of Kafka's that serves requests, sends answers or fetches. */
    static boolean isKafkas(String thread) {
        String group = Observer.groupOf(thread);
        return group.equals("handler") || group.equals("network") || group.equals("fetcher");
    }

    private static String thread(ThreadInfo info) {
        StringBuilder text = new StringBuilder("{\"id\":").append(info.getThreadId())
            .append(",\"name\":").append(Line.quoted(info.getThreadName())).append(",\"frames\":[");
        String comma = "";
        for (StackTraceElement frame : info.getStackTrace()) {
            text.append(comma).append(Line.quoted(frame.getClassName() + "." + frame.getMethodName()));
            comma = ",";
        }
        return text.append("]}").toString();
    }
}
