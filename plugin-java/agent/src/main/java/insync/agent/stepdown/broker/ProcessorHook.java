package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import java.util.concurrent.BlockingQueue;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;

/** A network thread's connections can be found by its Processor. */
final class ProcessorHook extends Hook {

    ProcessorHook() {
        super("kafka.network.Processor", "start", Nothing.class);
    }

    @Override
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return builder.implement(ProcessorCarrier.class)
            .defineMethod("insync$thread", Object.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField("thread"))
            .defineMethod("insync$selector", Object.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField("selector"))
            .defineMethod("insync$accepted", BlockingQueue.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField("newConnections"));
    }

    static final class Nothing {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit() { }
    }
}
