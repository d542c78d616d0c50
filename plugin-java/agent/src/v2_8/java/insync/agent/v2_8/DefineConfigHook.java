package insync.agent.v2_8;

import insync.agent.kafka.Settings;
import insync.agent.weave.Hook;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.config.ConfigDef;

/** Adds the plugin's configs to the broker's one definition of all configs. */
final class DefineConfigHook extends Hook {

    DefineConfigHook() {
        super("kafka.server.KafkaConfig$", "<clinit>");
    }

    @Override
    public ElementMatcher<MethodDescription> methods() {
        return ElementMatchers.isTypeInitializer();
    }

    @Override
    public Class<?> advice() {
        return Define.class;
    }

    static final class Define {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue("configDef") ConfigDef definition) {
            Settings.define(definition);
        }
    }
}
