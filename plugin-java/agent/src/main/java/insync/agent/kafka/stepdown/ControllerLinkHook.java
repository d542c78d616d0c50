package insync.agent.kafka.stepdown;

import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FieldAccessor;

/** Kafka's own manager of AlterPartition requests lets its channel to the controller be used. */
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
            .intercept(FieldAccessor.ofField("controllerChannelManager"));
    }

    static final class Nothing {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit() { }
    }
}
