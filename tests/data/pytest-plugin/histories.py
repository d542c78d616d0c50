"""Tests of a user, run by tests/integration/testing/test_pytest_plugin.py."""

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic


def create(cluster, topic):
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
    new = NewTopic(topic, 2, replica_assignment=[[1, 2, 3], [2, 3, 1]])
    admin.create_topics([new])[topic].result()


def send(producer, topic, records):
    for number in range(records):
        producer.produce(topic, f"order {number}", key=str(number))
        producer.poll(0.02)


def test_a_record_that_the_history_does_not_know_fails_it(insync_cluster_module, insync_history):
    create(insync_cluster_module, "payments")
    send(insync_history.producer({}), "payments", 5)
    consumer = insync_history.consumer({"group.id": "billing", "auto.offset.reset": "earliest"})
    consumer.subscribe(["payments"])
    read = 0
    while read < 5:
        read += consumer.poll(60) is not None
    consumer.close()
    foreign = Producer({"bootstrap.servers": insync_cluster_module.bootstrap})
    foreign.produce("payments", b"not of the history")
    assert foreign.flush(60) == 0


@pytest.mark.insync(scenario="no-such-scenario")
def test_a_scenario_that_does_not_exist():
    raise AssertionError("never reached")
