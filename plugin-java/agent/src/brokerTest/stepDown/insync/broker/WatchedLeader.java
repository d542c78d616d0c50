package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.Insync;
import insync.core.events.EventLog;
import insync.lab.events.EventFileLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A test's {@link Leader} whose watch may ask a {@link FakeController} to step down, and its events. The mock clock follows real
 * time, because the watch is a thread.
 */
abstract class WatchedLeader {
    static final int EPOCH = 5;
    static final int SUCCESSOR = Leader.FOLLOWER;
    static final long STEP_MS = 10;
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    @TempDir
    Path folder;
    final FakeController controller = new FakeController();
    Leader leader;
    private Path events;

    @BeforeEach
    void events() throws Exception {
        events = folder.resolve("events.jsonl");
        Insync.install(new Insync(EventFileLog.to(events, Long.MAX_VALUE, 1)));
    }

    @AfterEach
    void everythingEndsAndNothingOfOursFailed() throws Exception {
        endStalls();
        leader.stopWatch();
        leader.close();
        assertEquals("", Insync.current().failures.last());
        Insync.install(new Insync(new EventLog()));
    }

    /** Lets the calls that the test stalls continue. */
    abstract void endStalls() throws Exception;

    FakeController.Asked next() throws Exception {
        return await(controller.asked::poll);
    }

    void nothingMoreIsAskedFor(long ms) throws Exception {
        long end = leader.time.milliseconds() + ms;
        await(() -> leader.time.milliseconds() >= end ? end : null);
        assertNull(controller.asked.poll());
    }

    String answered() throws Exception {
        return await(() -> line("step_down_answered").orElse(null));
    }

    /** Returns the first event of that type. */
    Optional<String> line(String type) {
        return lines().stream().filter(line -> line.contains("\"type\":\"" + type + "\"")).findFirst();
    }

    List<String> lines() {
        try {
            return Files.readAllLines(events);
        } catch (java.io.IOException unreadable) {
            throw new java.io.UncheckedIOException(unreadable);
        }
    }

    /** Lets time pass until there is a value. */
    <V> V await(Supplier<V> look) throws Exception {
        long end = System.nanoTime() + PATIENCE_NANOS;
        for (V found = look.get(); ; found = look.get()) {
            if (found != null) {
                return found;
            }
            assertTrue(System.nanoTime() < end, () -> "no value before the deadline; events: " + lines());
            leader.time.sleep(STEP_MS);
            Thread.sleep(STEP_MS);
        }
    }
}
