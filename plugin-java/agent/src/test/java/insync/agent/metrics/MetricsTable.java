package insync.agent.metrics;

import insync.agent.metrics.AgentMetric.Tag;
import insync.agent.metrics.AgentMetric.Type;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.Properties;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Writes the table of docs/operate/metrics.md: `gradle metricsPage`. */
final class MetricsTable {
    private static final String BEGIN = "<!-- metrics: begin -->\n";
    private static final String END = "<!-- metrics: end -->\n";

    private MetricsTable() { }

    /** @param arguments the page */
    public static void main(String[] arguments) throws IOException {
        Path page = Paths.get(arguments[0]);
        Files.writeString(page, in(Files.readString(page)));
    }

    /** Returns a page with the table of today. */
    static String in(String page) throws IOException {
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        return page.substring(0, begin) + table() + page.substring(page.indexOf(END));
    }

    private static String table() throws IOException {
        StringBuilder rows = new StringBuilder("| name | kind | Kafka | |\n|---|---|---|---|\n");
        Properties versions = versions();
        for (AgentMetric metric : AgentMetric.values()) {
            rows.append("| `").append(metric.name("").getMBeanName()).append(tags(metric.tag)).append("` | ")
                .append(kind(metric)).append(" | ").append(where(metric.type, versions)).append(" | ")
                .append(metric.says).append(values(metric.tag)).append(" |\n");
        }
        return rows.toString();
    }

    private static String kind(AgentMetric metric) {
        return metric.value != null ? "gauge" : metric == AgentMetric.HOLD_TIME ? "histogram" : "meter";
    }

    private static String tags(Tag tag) {
        return tag == Tag.NONE ? "" : "," + tag.key + "=" + tag.key.toUpperCase(Locale.ROOT);
    }

    private static String values(Tag tag) {
        return tag == Tag.NONE ? "" : ". " + tag.key.toUpperCase(Locale.ROOT) + ": "
            + tag.words.stream().map(value -> "`" + value + "`").collect(Collectors.joining(", "));
    }

    /** Returns the versions with a type of metrics, such as "1.1, from 3.6". */
    private static String where(Type type, Properties versions) {
        Predicate<String> has = name -> {
            switch (type) {
                case PENDING_READS:
                    return !versions.getProperty(name + ".scopes").isEmpty();
                case STEP_DOWN:
                case CONTROLLER:
                    return versions.getProperty(name + ".step_down").equals("true");
                case LOG_START:
                    return versions.getProperty(name + ".log_start").equals("true");
                default:
                    return true;
            }
        };
        String[] names = versions.getProperty("adapters").split(",");
        int from = names.length;
        while (from > 0 && has.test(names[from - 1])) {
            from--;
        }
        if (from == 0) {
            return "all";
        }
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < from; i++) {
            words.append(has.test(names[i]) ? version(names[i]) + ", " : "");
        }
        return words + "from " + version(names[from]);
    }

    private static String version(String adapter) {
        return adapter.substring(1).replace('_', '.');
    }

    private static Properties versions() throws IOException {
        Properties versions = new Properties();
        try (InputStream in = MetricsTable.class.getResourceAsStream("/insync/broker-versions.properties")) {
            versions.load(in);
        }
        return versions;
    }
}
