"""Clusters of real Kafka, and their server processes."""
