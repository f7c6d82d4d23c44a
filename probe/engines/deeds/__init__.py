"""How the steps of scenarios are done on real brokers, and undone; `probe.engines.kafka_deeds` has the table."""
