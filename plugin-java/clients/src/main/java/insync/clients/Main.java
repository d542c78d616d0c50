package insync.clients;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Runs workloads of Kafka's own clients, one after the other, as its standard input says.
 *
 * <p>A line of the input is a command, and each has an answer on standard output:
 *
 * <table>
 * <caption>Commands</caption>
 * <tr><td>{@code open}, then lines {@code KEY=VALUE}, then an empty line</td><td>creates the clients: {@code opened}</td></tr>
 * <tr><td>{@code start}</td><td>produces and consumes: {@code started}, and {@code acked} when every producer has an
 * ack</td></tr>
 * <tr><td>{@code late}</td><td>for how long the oldest record of a plain producer has waited for its ack:
 * {@code late MS}</td></tr>
 * <tr><td>{@code stop}</td><td>ends the producers: {@code stopped} after their last answer</td></tr>
 * <tr><td>{@code read MS PARTITION:END,...}</td><td>reads up to these offsets: {@code read}, or after that time
 * {@code short}, with the next offsets {@code PARTITION:OFFSET,...} and the last error</td></tr>
 * <tr><td>{@code reread}</td><td>reads again from offset 0 with a new consumer: {@code rereading}</td></tr>
 * <tr><td>{@code close}</td><td>ends all clients: {@code closed}</td></tr>
 * </table>
 *
 * <p>Besides, it prints {@code ready} at its start, {@code failed REASON} if a part of the workload fails, and each line of
 * an event file after the name of its kind. It ends when its input ends.
 */
public final class Main {
    private Main() { }

    /** See the class. */
    public static void main(String[] arguments) throws IOException {
        Output out = new Output(new FileOutputStream(FileDescriptor.out));
        System.setOut(System.err);  // only `out` may print there: libraries log
        out.start();
        out.say("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Workload workload = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            try {
                workload = handle(line.split(" ", 2), in, workload, out);
            } catch (RuntimeException | InterruptedException error) {
                out.failed(error);
            }
        }
        // The harness has ended: nobody waits for what is still open.
        Runtime.getRuntime().halt(0);
    }

    /** Carries out one command; returns the workload that is open after it. */
    private static Workload handle(String[] command, BufferedReader in, Workload workload, Output out)
            throws IOException, InterruptedException {
        switch (command[0]) {
            case "open":
                Workload opened = new Workload(new Plan(keys(in)), out);
                out.say("opened");
                return opened;
            case "start":
                workload.start();
                return workload;
            case "late":
                workload.late();
                return workload;
            case "stop":
                workload.stop();
                return workload;
            case "read":
                workload.read(command[1]);
                return workload;
            case "reread":
                workload.reread();
                return workload;
            case "close":
                if (workload != null) {
                    workload.close();
                }
                out.say("closed");
                return null;
            default:
                throw new IllegalArgumentException("unknown command " + command[0]);
        }
    }

    private static Map<String, String> keys(BufferedReader in) throws IOException {
        Map<String, String> keys = new HashMap<>();
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            int split = line.indexOf('=');
            keys.put(line.substring(0, split), line.substring(split + 1));
        }
        return keys;
    }
}
