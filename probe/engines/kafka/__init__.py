"""The kafka engine: real Apache Kafka processes on loopback, shared by cohorts of cells."""

from probe.engines.kafka.engine import Kafka

__all__ = ["Kafka"]
