"""Where facts come from: recorded runs, live agents, JMX, logs of brokers, Prometheus."""
