import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.File;
import java.util.Map;

/**
 * Reads manifests with Strimzi's own model of its resources, and refuses a field that the model does not have. The model
 * itself keeps unknown fields, so the operator would ignore them.
 */
public final class StrimziFields {
    private static final Map<String, String> KINDS = Map.of(
        "Kafka", "io.strimzi.api.kafka.model.kafka.Kafka",
        "KafkaNodePool", "io.strimzi.api.kafka.model.nodepool.KafkaNodePool");

    private StrimziFields() {
    }

    /** Prints the kind of each resource of the file that is its argument; fails at the first unknown field or kind. */
    public static void main(String[] arguments) throws Exception {
        ObjectMapper strict = new ObjectMapper(new YAMLFactory());
        strict.setAnnotationIntrospector(new JacksonAnnotationIntrospector() {
            @Override
            public Boolean hasAnySetter(Annotated method) {
                return false;
            }
        });
        try (MappingIterator<JsonNode> documents =
                 strict.readerFor(JsonNode.class).readValues(new File(arguments[0]))) {
            while (documents.hasNext()) {
                JsonNode document = documents.next();
                String kind = document.get("kind").asText();
                if (!KINDS.containsKey(kind)) {
                    throw new IllegalArgumentException("kind " + kind + ": expected one of " + KINDS.keySet());
                }
                strict.treeToValue(document, Class.forName(KINDS.get(kind)));
                System.out.println(kind);
            }
        }
    }
}
