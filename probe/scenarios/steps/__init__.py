"""Steps of scenarios in Kafka's words, by the objects they act on; each engine implements each step."""
