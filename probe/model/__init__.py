"""The nouns of the probe: frozen values and enums, standard library only.

Times are microseconds of the orchestrator's CLOCK_MONOTONIC wherever a name ends in `at`,
and milliseconds wherever it ends in `_ms`.
"""

from probe.model.cell import Cell, Client, Election, Engine, Outcome, Profile, Reality, Role
from probe.model.codec import decode, encode
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
from probe.model.verdicts import Facts, Reroute, Trigger, Verdict
from probe.model.words import Expects, Kind, Target

__all__ = [
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
    "Response",
    "Role",
    "Row",
    "Stored",
    "Subject",
    "Target",
    "Trigger",
    "Verdict",
    "decode",
    "encode",
]
