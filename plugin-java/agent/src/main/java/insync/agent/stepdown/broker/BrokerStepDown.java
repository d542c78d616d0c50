package insync.agent.stepdown.broker;

import insync.agent.broker.Brokers;
import insync.agent.broker.StepDown;
import insync.agent.broker.StepDown.HeartbeatSender;
import insync.agent.config.BrokerConfigs;
import insync.agent.isr.RequestPart;
import insync.agent.kafka.KafkaClock;
import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import insync.agent.stepdown.controller.HeartbeatResponseHooks;
import insync.core.Insync;
import insync.core.events.EventLog;
import insync.core.stepdown.Decision;
import insync.core.stepdown.DisconnectRule;
import insync.core.stepdown.Fencing;
import insync.core.stepdown.PeerFetches;
import insync.core.stepdown.PendingAppend;
import insync.core.stepdown.StepDownRequest;
import insync.core.stepdown.StepDownRequests;
import insync.core.stepdown.StepDownSettings;
import insync.core.stepdown.StepDownSettings.Via;
import insync.core.stepdown.StepDownWatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import kafka.cluster.Partition;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.requests.BrokerHeartbeatResponse;
import org.apache.kafka.common.utils.Time;

/**
 * Runs solution 2 in one broker: a thread calls the core's watch at every tick and executes its decisions. It takes none
 * of Kafka's locks and uses none of Kafka's threads, because they may be stalled.
 */
public final class BrokerStepDown implements StepDown {
    /** The time between two checks while a request is under way, milliseconds. */
    private static final long BUSY_MS = 40;

    private final int self;
    private final ReplicaManager replicas;
    private final StepDownAccess access;
    private final ControllerAccess controller;
    private final ControllerLink manager;
    private final StepDownSettings settings;
    private final StepDownWatch watch;
    private final StepDownRequests<LedPartition> handovers;
    private final UnservedClients clients;
    private final Supplier<RequestPart> requests;
    private final boolean onReadErrors;
    private final Relinquisher relinquisher;
    private final SelfFencing fencing;
    private final Map<TopicPartition, LedPartition> led = new ConcurrentHashMap<>();
    private final Semaphore updated = new Semaphore(0);
    private final Thread thread;
    private boolean isBusy;
    private volatile boolean stopped;

    private BrokerStepDown(ReplicaManager replicas, KafkaConfig config, Time time, ControllerLink manager, PeerFetches peers,
            ControllerAccess controller, Supplier<RequestPart> requests, Supplier<HeartbeatSender> heartbeats, Insync insync) {
        this.settings = StepDownConfigs.read(config);
        KafkaClock clock = new KafkaClock(time);
        this.self = config.brokerId();
        this.replicas = replicas;
        this.access = (StepDownAccess) Brokers.access();
        this.controller = controller;
        this.manager = manager;
        this.watch = new StepDownWatch(self, settings, clock, peers, insync.stats.released::sum,
            insync.stepDowns, Insync::failed);
        this.handovers = new StepDownRequests<>(clock, watch);
        this.requests = requests;
        this.clients = new UnservedClients(self, requests, new DisconnectRule(settings), clock, insync);
        this.onReadErrors = StepDownConfigs.relinquishesOnly(config);
        this.fencing = new SelfFencing(replicas, config, access, settings, requests, heartbeats, clock, insync);
        this.relinquisher = new Relinquisher(self, clock, settings, manager, controller, handovers, this::over,
            this::fence, () -> stopped || Insync.isDisabled());
        this.thread = new Thread(this::run, "insync-step-down");
        thread.setDaemon(true);
    }

    /**
     * Starts the watch of a broker that may step down and whose ReplicaManager was constructed.
     *
     * @param manager ReplicaManager's alterPartitionManager
     * @param peers measures this broker's own fetches
     * @param requests returns the broker's scope "request", or null if that is off
     * @param heartbeats returns what sends the broker's heartbeats
     * @return null if the broker has no KRaft controller
     */
    public static BrokerStepDown start(ReplicaManager replicas, KafkaConfig config, Time time, Object manager,
            PeerFetches peers, ControllerAccess controller, Supplier<RequestPart> requests, Supplier<HeartbeatSender> heartbeats,
            Insync insync) {
        Map<String, Object> settings = EventLog.fields("broker", config.brokerId());
        settings.putAll(BrokerConfigs.all(config));
        if (!(manager instanceof ControllerLink) || !controller.isKRaft(replicas)) {
            insync.events.emit("step_down_impossible", settings);
            System.err.println("[insync] " + StepDownConfigs.PROCESS_TIME_MAX_MS
                + " has no effect: this broker has no KRaft controller");
            return null;
        }
        BrokerStepDown started = new BrokerStepDown(replicas, config, time, (ControllerLink) manager, peers,
            controller, requests, heartbeats, insync);
        insync.events.emit("step_down_settings", settings);
        started.thread.start();
        return started;
    }

    @Override
    public void stop() {
        stopped = true;
        thread.interrupt();
    }

    private Fencing fencing() {
        return fencing.rule;
    }

    /** A broker that shuts down leaves by itself. */
    @Override
    public void wish(BrokerHeartbeatRequestData heartbeat) {
        if (fencing().wasEverWanted() && !heartbeat.wantShutDown()) {
            fencing().sent(heartbeat.currentMetadataOffset());
            heartbeat.setWantFence(fencing().isWanted() && !Insync.isDisabled());
        }
    }

    @Override
    public void answered(ClientResponse answer) {
        if (answer.responseBody() instanceof BrokerHeartbeatResponse) {
            BrokerHeartbeatResponseData data = ((BrokerHeartbeatResponse) answer.responseBody()).data();
            relinquisher.controllerIsWoven(HeartbeatResponseHooks.isWoven(data, answer.destination()));
            // In an error Kafka leaves the field at its default, which is true.
            if (data.errorCode() == 0 && fencing().answered(data.isFenced())) {
                Insync.current().stepDowns.fenced.increment();
                updated.release();
            }
        }
    }

    private void fence(StepDownRequest<LedPartition> one) {
        fencing.ask(one);
        updated.release();
    }

    @Override
    public void reconfigure(KafkaConfig config) {
        settings.become(StepDownConfigs.read(config));
        updated.release();
    }

    @Override
    public boolean timesAppends() {
        return settings.timesAppends();
    }

    @Override
    public void leading(Partition partition) {
        LedPartition known = led.get(partition.topicPartition());
        if (known == null || known.kafka != partition) {
            led.put(partition.topicPartition(), new LedPartition(partition, access));
        }
    }

    /** Called where the lab's hooks are woven, by all brokers of this JVM. */
    @Override
    public void readFailed(Partition partition) {
        LedPartition one = onReadErrors ? led.get(partition.topicPartition()) : null;
        if (one != null) {
            one.noteFailedRead();
        }
    }

    @Override
    public void losing(Partition partition, int leaderEpoch, Object newState) {
        if (partition.isLeader() && access.leaderEpoch(newState) > leaderEpoch) {
            over(partition, leaderEpoch);
        }
    }

    @Override
    public boolean isOver(TopicPartition partition) {
        LedPartition one = led.get(partition);
        return one != null && LeadershipHooks.isOver(one.kafka);
    }

    /** Marks a leader epoch of this broker as over, and answers clients that wait for the partition in it. */
    void over(Partition partition, int leaderEpoch) {
        LeadershipHooks.Carrier carrier = (LeadershipHooks.Carrier) partition;
        if (carrier.insync$over() <= leaderEpoch) {
            carrier.insync$over(leaderEpoch + 1);
            TopicPartition id = partition.topicPartition();
            AnswerThreads.produce(replicas, id, () -> controller.completeProduce(replicas, id));
        }
    }

    /** Sends the clients on of all that this broker led when the controller fenced it. It may apply that much later. */
    private void sendOn() {
        for (LedPartition each : led.values()) {
            int epoch = each.leaderEpoch();
            if (each.isLed() && ((LeadershipHooks.Carrier) each.kafka).insync$over() <= epoch) {
                over(each.kafka, epoch);
                clients.given();
            }
        }
    }

    private void run() {
        try {
            while (!stopped) {
                // An update ends the wait: with a long limit from before it the next tick may be minutes away.
                updated.tryAcquire(isBusy ? Math.min(BUSY_MS, watch.dueMs()) : watch.dueMs(), TimeUnit.MILLISECONDS);
                updated.drainPermits();
                try {
                    tick();
                    isBusy = conclude();
                } catch (RuntimeException | Error failed) {
                    Insync.failed(failed);
                }
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        } finally {
            watch.end();
            fencing.stop();
        }
    }

    private void tick() {
        List<LedPartition> now = new ArrayList<>(led.size());
        List<PendingAppend> appends = settings.timesAppends() ? AppendHooks.pending(self) : List.of();
        for (LedPartition each : led.values()) {
            try {
                if (each.isLed()) {
                    each.see(appends);
                    now.add(each);
                } else {
                    forget(each);
                }
            } catch (RuntimeException | Error failed) {
                Insync.failed(failed);
            }
        }
        RequestPart part = requests.get();
        if (part != null) {
            part.scope.queueIs(part.channel.insync$queue().peek());
        }
        List<PendingAppend> followed = appends.stream().filter(each -> !((Partition) each.partition).isLeader())
            .collect(Collectors.toList());
        List<Decision> acting = watch.tick(now, access.livePeers(replicas), followed);
        acting.removeIf(decision -> !decision.acts());
        if (!acting.isEmpty()) {
            Relinquisher.atOnce(manager, () -> acting.forEach(this::carryOut));
        }
        fencing.tick(led.values(), appends, settings.via() != Via.ALTER_PARTITION && watch.followsTooSlowly());
    }

    private void carryOut(Decision decision) {
        relinquisher.carryOut(decision, led.get(new TopicPartition(decision.topic, decision.partition)));
    }

    /**
     * Completes the step-downs that the metadata shows.
     *
     * @return whether to check again soon
     */
    private boolean conclude() {
        for (StepDownRequest<LedPartition> shown : handovers.look(this::isLedElsewhere)) {
            if (shown.led != null) {
                over(shown.led.kafka, shown.decision.leaderEpoch);
            }
            clients.given();
        }
        if (fencing().isGranted()) {
            sendOn();
        }
        boolean hang = clients.free(misleads());
        return hang || handovers.isAnyOpen() || fencing().isWanted();
    }

    /** Returns whether its metadata names it as a leader although it is fenced, because it waits to apply an earlier change. */
    private boolean misleads() {
        return fencing().isGranted() && led.values().stream().anyMatch(each -> each.isLed()
            && !access.isLedElsewhere(replicas, each.kafka.topicPartition(), each.leaderEpoch()));
    }

    private boolean isLedElsewhere(StepDownRequest<LedPartition> one) {
        Decision decision = one.decision;
        return access.isLedElsewhere(replicas, new TopicPartition(decision.topic, decision.partition),
            decision.leaderEpoch);
    }

    /** Removes a partition, unless this broker leads it again. */
    private void forget(LedPartition gone) {
        TopicPartition id = gone.kafka.topicPartition();
        led.remove(id, gone);
        if (gone.isLed()) {
            led.putIfAbsent(id, gone);
        }
    }
}
