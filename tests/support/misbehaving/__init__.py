"""A small Kafka client of our own that misbehaves on request."""
