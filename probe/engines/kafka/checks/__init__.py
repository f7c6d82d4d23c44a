"""Dumps of a topic's logs by Kafka's own tool."""
