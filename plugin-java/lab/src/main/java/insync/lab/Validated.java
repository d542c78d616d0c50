package insync.lab;

import java.util.function.BiConsumer;
import org.apache.kafka.common.config.ConfigDef;

/** Checks a config's value, and says what is expected. Kafka has such a class from 2.0 on. */
public final class Validated implements ConfigDef.Validator {
    private final BiConsumer<String, Object> check;
    private final String expected;

    /** @param check throws ConfigException for a name and a value that is not valid */
    public Validated(BiConsumer<String, Object> check, String expected) {
        this.check = check;
        this.expected = expected;
    }

    @Override
    public void ensureValid(String name, Object value) {
        check.accept(name, value);
    }

    @Override
    public String toString() {
        return expected;
    }
}
