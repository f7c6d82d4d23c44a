"""The catalogue: client families, applications, Kafka releases, scenarios, known results."""
