package insync.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.AgentException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the agent would weave in a build is told without a broker. */
class CheckBuildTest {
    private final Map<String, Object> answer = answer();

    private static Map<String, Object> answer() {
        try {
            return CheckBuild.found();
        } catch (AgentException broken) {
            throw new AssertionError(broken);
        }
    }

    @Test
    void aTestedVersionFitsCompletely() {
        // The class path of these tests lacks libraries of the broker, without which two classes cannot be generated.
        List<?> problems = (List<?>) answer.get("problems");
        assertTrue(problems.stream().allMatch(problem -> problem.toString().contains("com.typesafe")), problems.toString());
        assertEquals(List.of(), answer.get("unknown"));
        assertEquals(true, answer.get("tested"));
        assertEquals("v4_2", answer.get("adapter"));
    }

    @Test
    void everyMethodToWeaveHasItsDigest() {
        Set<?> digests = ((Map<?, ?>) answer.get("digests")).keySet();
        String fetch = "kafka.server.ReplicaManager.fetchMessages(";
        assertTrue(digests.stream().anyMatch(name -> name.toString().startsWith(fetch)), digests.toString());
    }
}
