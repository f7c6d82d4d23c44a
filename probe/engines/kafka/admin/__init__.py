"""Administration of real brokers, with the few Kafka requests that it needs."""
