package insync.agent.v3_6;

import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import java.util.function.Consumer;
import kafka.server.BrokerToControllerChannelManager;
import kafka.server.ControllerRequestCompletionHandler;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.requests.AbstractRequest;

/** Sends over the channel of 3.6, which is a Scala class. */
final class BrokerToController extends ScalaController {

    @Override
    public void send(ControllerLink manager, AbstractRequest.Builder<?> request, Consumer<ClientResponse> answered) {
        Channel.send(manager.insync$channel(), request, answered);
    }

    /** A separate class, because its types are gone in 3.7 and the adapter must load without them. */
    private static final class Channel {
        static void send(Object channel, AbstractRequest.Builder<?> request, Consumer<ClientResponse> answered) {
            ((BrokerToControllerChannelManager) channel).sendRequest(request, new ControllerRequestCompletionHandler() {
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
