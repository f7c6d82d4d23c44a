"""The driver of confluent_kafka.aio."""
