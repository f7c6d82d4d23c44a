"""A small Kafka client of the tests that misbehaves on request."""
