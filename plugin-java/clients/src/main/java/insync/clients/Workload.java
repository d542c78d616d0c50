package insync.clients;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The producers and the consumer of one repeat; one thread each. */
final class Workload {
    private final Plan plan;
    private final Output out;
    private final Control control;
    private final List<PartitionProducer> onSchedule = new ArrayList<>();
    private final List<Thread> producers = new ArrayList<>();
    private final List<GroupMember> members = new ArrayList<>();
    private final List<Thread> grouped = new ArrayList<>();
    private TopicConsumer consumer;
    private Thread consuming;

    Workload(Plan plan, Output out) {
        this.plan = plan;
        this.out = out;
        List<int[]> lanes = new ArrayList<>();
        for (int partition : plan.numbers("all_partitions")) {
            for (int lane : plan.numbers("lanes." + partition)) {
                lanes.add(new int[] {partition, lane});
            }
        }
        Map<Integer, String> ids = plan.has("transactions.ids") ? Plan.byNumber(plan.text("transactions.ids")) : Map.of();
        control = new Control(lanes.size() + ids.size(), plan.number("drain_ms"), out);
        for (int[] lane : lanes) {
            PartitionProducer producer = new PartitionProducer(plan, control, out, lane[0], lane[1]);
            onSchedule.add(producer);
            add(producer, "produce-" + lane[0] + "-" + lane[1]);
        }
        ids.forEach((number, id) -> add(new TransactionalProducer(plan, control, out, number, id), "transact-" + number));
        for (int group : plan.numbers("groups")) {
            for (int slot : plan.numbers("group." + group + ".members")) {
                GroupMember member = new GroupMember(plan, out, group, slot);
                members.add(member);
                grouped.add(daemon(member, "group-" + group + "-" + slot));
            }
        }
        consumer = new TopicConsumer(plan, out, false);
        consuming = daemon(consumer, "consume");
    }

    private void add(Runnable producer, String name) {
        producers.add(daemon(producer, name));
    }

    private static Thread daemon(Runnable part, String name) {
        Thread thread = new Thread(part, name);
        thread.setDaemon(true);
        return thread;
    }

    void start() {
        consuming.start();
        grouped.forEach(Thread::start);
        producers.forEach(Thread::start);
        out.say("started");
    }

    /** Answers for how long the oldest record of a plain producer has waited for its ack. */
    void late() {
        out.say("late " + onSchedule.stream().mapToLong(PartitionProducer::lateMs).max().orElse(0));
    }

    /** Ends the producers; answers later, when all have their last answer. */
    void stop() {
        control.stop();
        members.forEach(GroupMember::stay);
        daemon(() -> {
            try {
                join(producers);
                out.say("stopped");
            } catch (InterruptedException | RuntimeException error) {
                out.failed(error);
            }
        }, "stop").start();
    }

    /** Begins to read again from offset 0, with a new consumer, when the first one has ended. */
    void reread() {
        consumer = new TopicConsumer(plan, out, true);
        consuming = daemon(consumer, "re-read");
        consuming.start();
        out.say("rereading");
    }

    /** Reads up to end offsets, {@code MS PARTITION:END,...}; answers later, at most after so many ms. */
    void read(String arguments) {
        String[] parts = arguments.split(" ");
        long withinMs = Long.parseLong(parts[0]);
        consumer.readTo(Plan.byNumber(parts[1]).entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, each -> Long.parseLong(each.getValue()))));
        daemon(() -> {
            try {
                consuming.join(withinMs);
                out.say((consumer.isComplete() ? "read " : "short ") + consumer.state());
            } catch (InterruptedException error) {
                out.failed(error);
            }
        }, "read").start();
    }

    void close() throws InterruptedException {
        control.abandon();
        consumer.cut();
        members.forEach(GroupMember::cut);
        join(producers);
        join(grouped);
        join(List.of(consuming));
    }

    /** Waits for the threads that were started. */
    private static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
