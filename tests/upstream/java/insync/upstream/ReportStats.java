package insync.upstream;

import insync.core.Insync;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Prints after each test class what the plugin has done in this JVM: evidence that the arm was active. */
public final class ReportStats implements TestExecutionListener {

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
        identifier.getSource().filter(ClassSource.class::isInstance).ifPresent(source ->
            System.out.println("[insync] after " + ((ClassSource) source).getClassName()
                + " errors=" + Insync.current().failures().count() + " " + Insync.current().stats().toMap()));
    }
}
