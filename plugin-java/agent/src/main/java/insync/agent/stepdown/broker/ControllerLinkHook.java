package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import java.util.concurrent.atomic.AtomicBoolean;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;
import net.bytebuddy.implementation.MethodCall;
import net.bytebuddy.matcher.ElementMatchers;

/** Kafka's own manager of AlterPartition requests lets its channel to the controller, and its next request, be used. */
final class ControllerLinkHook extends Hook {
    private final Class<? extends ControllerLink> link;

    /**
     * @param manager the class in this version of Kafka
     * @param link the interface that it gets
     */
    ControllerLinkHook(String manager, Class<? extends ControllerLink> link) {
        super(manager, "start", Nothing.class);
        this.link = link;
    }

    @Override
    public DynamicType.Builder<?> shape(DynamicType.Builder<?> builder) {
        return builder.implement(link)
            .defineMethod("insync$channel", Object.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField("controllerChannelManager"))
            .defineMethod("insync$inFlight", AtomicBoolean.class, Visibility.PUBLIC)
            .intercept(FieldAccessor.ofField("inflightRequest"))
            .defineMethod("insync$propagate", void.class, Visibility.PUBLIC)
            .intercept(MethodCall.invoke(ElementMatchers.named("maybePropagateIsrChanges")));
    }

    static final class Nothing {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit() { }
    }
}
