import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic


@pytest.mark.insync(settings={"replica.lag.time.max.ms": 2_000})
def test_orders_are_acked_while_a_follower_is_frozen(insync_cluster, insync_faults):
    bootstrap = {"bootstrap.servers": insync_cluster.bootstrap}
    topic = NewTopic("orders", 1, replica_assignment=[[1, 2, 3]])
    admin, producer = AdminClient(bootstrap), Producer(bootstrap)
    admin.create_topics([topic])["orders"].result()
    with insync_faults("freeze", broker=2):
        producer.produce("orders", b"one")
        assert producer.flush(60) == 0
