package insync.agent;

import insync.agent.weave.KnownMethods;
import java.util.ArrayList;
import java.util.List;

/** Prints the digests of the methods that the agent weaves in the Kafka of the class path, as METHOD=DIGEST lines. */
public final class PrintDigests {
    private PrintDigests() { }

    /** @param arguments none */
    public static void main(String[] arguments) throws AgentException {
        List<String> problems = new ArrayList<>();
        Adapter adapter = Adapters.load().pick(BrokerVersion.onClassPath(), problems);
        if (adapter == null) {
            throw new AgentException(String.join("; ", problems));
        }
        KnownMethods.digests(adapter).forEach((method, digest) -> System.out.println(method + "=" + digest));
    }
}
