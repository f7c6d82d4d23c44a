"""The kafka engine: real Apache Kafka processes on loopback, shared by cohorts of trials."""
