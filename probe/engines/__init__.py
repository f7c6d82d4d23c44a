"""Engines, which play the brokers: the fake cluster of go_shim, and real Apache Kafka processes."""
