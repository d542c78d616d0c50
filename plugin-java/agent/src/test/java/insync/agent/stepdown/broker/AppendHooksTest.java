package insync.agent.stepdown.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import insync.agent.broker.Brokers;
import insync.core.stepdown.AppendMark;
import java.lang.reflect.Field;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the mark of a handler thread keeps of a request. */
class AppendHooksTest {
    private static final int BROKER = 1;

    @AfterEach
    void off() throws Exception {
        times(false);
    }

    @Test
    void aRequestIsNotKeptWhenItIsServedAlsoIfAppendsAreNoLongerTimed() throws Exception {
        times(true);
        AppendMark served = AppendHooks.Handle.enter("request");
        AppendMark append = AppendHooks.begin("partition", BROKER, Time.SYSTEM);
        assertEquals("request", AppendHooks.pending(BROKER).get(0).request);
        times(false);
        AppendHooks.Handle.exit(served);
        assertNull(AppendHooks.pending(BROKER).get(0).request, "or it would stay in memory until the thread serves the next one");
        append.end();
    }

    @Test
    void nothingIsNotedWhileAppendsAreNotTimed() {
        AppendMark served = AppendHooks.Handle.enter("request");
        assertNull(served);
        AppendHooks.Handle.exit(served);
    }

    private static void times(boolean on) throws ReflectiveOperationException {
        Field flag = Brokers.class.getDeclaredField("timesAppends");
        flag.setAccessible(true);
        flag.setBoolean(null, on);
    }
}
