package insync.clients;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Prints answers and event lines in order, from a thread of its own: a reader that is late delays no client.
 */
final class Output {
    private final BlockingQueue<String> waiting = new LinkedBlockingQueue<>();
    private final OutputStream out;

    Output(OutputStream out) {
        this.out = new BufferedOutputStream(out, 1 << 16);
    }

    void start() {
        Thread thread = new Thread(this::print, "insync-output");
        thread.setDaemon(true);
        thread.start();
    }

    /** Prints one line soon. */
    void say(String line) {
        waiting.add(line);
    }

    /** Prints that a part of the workload failed, and why, on one line. */
    void failed(Throwable error) {
        error.printStackTrace();
        say("failed " + String.valueOf(error).replaceAll("\\s+", " "));
    }

    private void print() {
        try {
            while (true) {
                String line = waiting.take();
                out.write(line.getBytes(StandardCharsets.UTF_8));
                out.write('\n');
                if (waiting.isEmpty()) {
                    out.flush();
                }
            }
        } catch (IOException | InterruptedException ended) {
            Runtime.getRuntime().halt(1);  // nobody reads any more
        }
    }
}
