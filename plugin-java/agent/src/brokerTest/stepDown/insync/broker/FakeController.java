package insync.broker;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.AlterPartitionRequest;
import org.apache.kafka.common.requests.AlterPartitionResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.mockito.Mockito;

/**
 * A controller that a test drives through the broker's channel: it keeps the broker's requests and answers them on the
 * test's thread. It also has the broker's metadata of the one partition.
 */
final class FakeController {
    final BlockingQueue<Asked> asked = new LinkedBlockingQueue<>();
    private volatile int leader = Leader.LEADER;
    private volatile int leaderEpoch;

    /** The channel's sendRequest. */
    void receive(AbstractRequest.Builder<?> request, Consumer<ClientResponse> answered) {
        asked.add(new Asked(request, answered));
    }

    /** Sets the broker's metadata. */
    void publish(int newLeader, int newLeaderEpoch) {
        leader = newLeader;
        leaderEpoch = newLeaderEpoch;
    }

    int leader() {
        return leader;
    }

    int leaderEpoch() {
        return leaderEpoch;
    }

    /** One request of the broker. */
    static final class Asked {
        private final AbstractRequest.Builder<?> request;
        private final Consumer<ClientResponse> answered;

        private Asked(AbstractRequest.Builder<?> request, Consumer<ClientResponse> answered) {
            this.request = request;
            this.answered = answered;
        }

        AbstractRequest request() {
            return request.build(request.latestAllowedVersion());
        }

        AlterPartitionRequestData.PartitionData alterPartition() {
            return ((AlterPartitionRequest) request()).data().topics().get(0).partitions().get(0);
        }

        void answer(AbstractResponse response) {
            ClientResponse answer = Mockito.mock(ClientResponse.class);
            Mockito.when(answer.responseBody()).thenReturn(response);
            Mockito.when(answer.requestHeader())
                .thenReturn(new RequestHeader(request.apiKey(), request.latestAllowedVersion(), "broker", 0));
            answered.accept(answer);
        }

        /**
         * Answers an AlterPartition with an error of the partition; NONE keeps the leader and accepts the ISR.
         */
        void answerPartition(Errors error) {
            Uuid topic = ((AlterPartitionRequest) request()).data().topics().get(0).topicId();
            AlterPartitionRequestData.PartitionData wanted = alterPartition();
            AlterPartitionResponseData.PartitionData partition = new AlterPartitionResponseData.PartitionData()
                .setPartitionIndex(wanted.partitionIndex()).setErrorCode(error.code()).setLeaderId(Leader.LEADER)
                .setLeaderEpoch(wanted.leaderEpoch()).setPartitionEpoch(wanted.partitionEpoch() + 1);
            wanted.newIsrWithEpochs().forEach(member -> partition.isr().add(member.brokerId()));
            AlterPartitionResponseData.TopicData answered = new AlterPartitionResponseData.TopicData().setTopicId(topic);
            answered.partitions().add(partition);
            AlterPartitionResponseData data = new AlterPartitionResponseData();
            data.topics().add(answered);
            answer(new AlterPartitionResponse(data));
        }

        /** Answers with an error of the whole request, such as NOT_CONTROLLER. */
        void answerAll(Errors error) {
            answer(new AlterPartitionResponse(new AlterPartitionResponseData().setErrorCode(error.code())));
        }
    }
}
