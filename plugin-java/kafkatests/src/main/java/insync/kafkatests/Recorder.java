package insync.kafkatests;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Writes the result of each test of a class as it ends, and of each container that does not succeed. */
final class Recorder implements TestExecutionListener {
    private final ResultFile file;
    private final Map<String, Long> began = new ConcurrentHashMap<>();

    Recorder(ResultFile file) {
        this.file = file;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        began.put(test.getUniqueId(), System.nanoTime());
        if (test.isTest()) {
            write(() -> file.started(test.getUniqueId(), test.getLegacyReportingName(), test.getDisplayName()));
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        write(() -> file.ended(test.getUniqueId(), test.getLegacyReportingName(), test.getDisplayName(), false,
            "skipped", 0, reason));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        boolean succeeded = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        if (succeeded && !test.isTest()) {
            return;
        }
        // A test whose assumption does not hold is aborted: JUnit's reports count it as skipped.
        String outcome = succeeded ? "passed"
            : result.getStatus() == TestExecutionResult.Status.ABORTED ? "skipped" : "failed";
        long nanos = System.nanoTime() - began.getOrDefault(test.getUniqueId(), System.nanoTime());
        String detail = result.getThrowable().map(Recorder::trace).orElse("");
        write(() -> file.ended(test.getUniqueId(), test.getLegacyReportingName(), test.getDisplayName(),
            !test.isTest(), outcome, nanos, detail));
    }

    private static String trace(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static void write(Line line) {
        try {
            line.write();
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    /** Writes one line, which may fail. */
    private interface Line {
        void write() throws IOException;
    }
}
