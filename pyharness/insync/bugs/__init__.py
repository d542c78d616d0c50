"""Bugs of Kafka's past, each played on an affected release and on the fixed one."""
