"""Steps of scenarios in Kafka's words, by what they act on; each engine has its own way to do each."""
