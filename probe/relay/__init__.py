"""The relay in front of each broker. It observes every trial, forwards bytes and changes none."""

from probe.relay.backlog import Backlog
from probe.relay.relay import Relay

__all__ = ["Backlog", "Relay"]
