package insync.agent.v3_7;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import insync.agent.v3_6.ScalaController;
import java.util.function.Consumer;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.server.ControllerRequestCompletionHandler;
import org.apache.kafka.server.NodeToControllerChannelManager;

/** Sends over the channel of 3.7 to 3.9. */
public final class NodeToController extends ScalaController {

    @Override
    public void send(ControllerLink manager, AbstractRequest.Builder<?> request, Consumer<ClientResponse> answered) {
        Channel.send(manager.insync$channel(), request, answered);
    }

    /** A separate class, because its types moved in 4.0 and the adapter must load without them. */
    private static final class Channel {
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
}
