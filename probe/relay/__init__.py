"""The relay in front of each broker: the witness of every trial. It forwards bytes and changes none."""

from probe.relay.relay import Relay

__all__ = ["Relay"]
