"""The nouns of the probe: frozen values and enums, standard library only.

Times are microseconds of the orchestrator's CLOCK_MONOTONIC wherever a name ends in `at`,
and milliseconds wherever it ends in `_ms`.
"""

from probe.model.cell import Cell, Client, Election, Engine, Outcome, Profile, Reality, Role
from probe.model.codec import decode, encode
from probe.model.columns import Facts
from probe.model.events import (
    App,
    AppKind,
    ClientError,
    Closed,
    EngineEvent,
    EngineKind,
    Event,
    Folded,
    Mark,
    MarkKind,
    Opened,
    Request,
    Response,
    Row,
)
from probe.model.history import Header, History, Limits, Play, Stored, Subject
from probe.model.verdicts import Verdict
from probe.model.words import AfterHeal, Expects, Kind, Reroute, Rescuer, StormBound, Target, Trigger

__all__ = [
    "AfterHeal",
    "App",
    "AppKind",
    "Cell",
    "Client",
    "ClientError",
    "Closed",
    "Election",
    "Engine",
    "EngineEvent",
    "EngineKind",
    "Event",
    "Expects",
    "Facts",
    "Folded",
    "Header",
    "History",
    "Kind",
    "Limits",
    "Mark",
    "MarkKind",
    "Opened",
    "Outcome",
    "Play",
    "Profile",
    "Reality",
    "Request",
    "Reroute",
    "Rescuer",
    "Response",
    "Role",
    "Row",
    "Stored",
    "StormBound",
    "Subject",
    "Target",
    "Trigger",
    "Verdict",
    "decode",
    "encode",
]
