"""The driver of librdkafka."""
