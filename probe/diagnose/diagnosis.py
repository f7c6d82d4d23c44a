"""Everything that is said of an input. Frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from probe.diagnose.brokers import BrokerView
from probe.diagnose.findings import ClientFinding
from probe.diagnose.observation import Left, LogZone, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Everything that an input says."""

    clients: tuple[ClientFinding, ...]
    """The worst first."""
    brokers: tuple[BrokerView, ...]
    left: tuple[Left, ...]
    begin: int
    """Time of the first event, in microseconds since 1970; 0 without events."""
    until: int
    events: int
    sources: tuple[Source, ...]
    log_zone: LogZone | None = None
    """Zone of the request logs; None without one, or if their time stamps name it."""
