"""Does this Kafka client, in this version and configuration, find the new leader by itself? Measured, not guessed."""

__version__ = "0.1.0"
