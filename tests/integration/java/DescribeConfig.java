import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.common.config.ConfigResource;

/** Prints type, value, default or not, read-only or not, and documentation of one broker config. */
public final class DescribeConfig {

    /** @param arguments bootstrap address, broker id, config name */
    public static void main(String[] arguments) throws Exception {
        ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, arguments[1]);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", arguments[0]))) {
            ConfigEntry entry = admin.describeConfigs(List.of(broker),
                new DescribeConfigsOptions().includeDocumentation(true).includeSynonyms(true))
                .all().get().get(broker).get(arguments[2]);
            System.out.println(entry == null ? "none" : entry.type() + "|" + entry.value() + "|" + entry.source()
                + "|" + entry.isReadOnly() + "|" + entry.documentation());
        }
    }
}
