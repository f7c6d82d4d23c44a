"""Administration of real brokers, and the few requests of Kafka's that it takes."""
