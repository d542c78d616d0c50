"""The same question for stock brokers, asked over JMX alone."""
