"""What Kafka's own tools report about the logs of a topic."""
