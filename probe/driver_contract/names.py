"""Kafka's names of protocol errors, as drivers report them."""

from probe.protocol.names import error_name

__all__ = ["error_name"]
