package insync.agent.v3_9;

import java.util.function.Consumer;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.server.ControllerRequestCompletionHandler;
import org.apache.kafka.server.NodeToControllerChannelManager;

/** The broker's channel to its controller, in a class by itself: its types moved with 4.0, and the adapter must load without. */
final class ControllerChannel {

    private ControllerChannel() { }

    static void send(Object channel, AbstractRequest.Builder<?> request, Consumer<ClientResponse> answered) {
        ((NodeToControllerChannelManager) channel).sendRequest(request, new ControllerRequestCompletionHandler() {
            @Override
            public void onComplete(ClientResponse response) {
                answered.accept(response);
            }

            @Override
            public void onTimeout() {
                answered.accept(null);
            }
        });
    }
}
