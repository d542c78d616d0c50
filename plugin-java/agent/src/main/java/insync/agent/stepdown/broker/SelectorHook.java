package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import java.nio.channels.Selector;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;

/** The connections of a network thread, which Kafka keeps in maps of that thread's own, can be listed by others. */
final class SelectorHook extends Hook {

    SelectorHook() {
        super("org.apache.kafka.common.network.Selector", "wakeup", Nothing.class);
    }

    @Override
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return builder.implement(SelectorCarrier.class)
            .defineMethod("insync$nio", Selector.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField("nioSelector"));
    }

    static final class Nothing {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit() { }
    }
}
