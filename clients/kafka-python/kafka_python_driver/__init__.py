"""The driver of kafka-python."""
