"""Who plays the brokers: the fake cluster of go_shim, or real Apache Kafka processes."""
