"""The values of the probe: frozen dataclasses and enums, standard library only.

Names that end in `at` are times in microseconds of the orchestrator's CLOCK_MONOTONIC. Names that end in `_ms` are
milliseconds.

Names are imported when first used, because a look-up needs few of them and takes less time than all.
"""

from typing import TYPE_CHECKING

from probe.lazy_names import lazy_names

if TYPE_CHECKING:
    from probe.model.cell import CONTROL, Cell, Client, Engine, Outcome, Reality, Role, Workload, control_first
    from probe.model.cluster_history import ClusterHistory
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
    from probe.model.expectation import Expectation, Limits
    from probe.model.history import Header, History, Stored, Subject
    from probe.model.profile import Election, Profile
    from probe.model.verdicts import Verdict
    from probe.model.words import (
        AfterHeal,
        Ender,
        LearnedBy,
        OwnLimit,
        PhaseClock,
        Reaction,
        Reroute,
        Rescuer,
        StormBound,
        Symptom,
        Target,
        Trigger,
    )
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "cell": ("CONTROL", "Cell", "Client", "Engine", "Outcome", "Reality", "Role", "Workload", "control_first"),
            "cluster_history": ("ClusterHistory",),
            "codec": ("decode", "encode"),
            "columns": ("Facts",),
            "events": (
                "App",
                "AppKind",
                "ClientError",
                "Closed",
                "EngineEvent",
                "EngineKind",
                "Event",
                "Folded",
                "Mark",
                "MarkKind",
                "Opened",
                "Request",
                "Response",
                "Row",
            ),
            "expectation": ("Expectation", "Limits"),
            "history": ("Header", "History", "Stored", "Subject"),
            "profile": ("Election", "Profile"),
            "verdicts": ("Verdict",),
            "words": (
                "AfterHeal",
                "Ender",
                "OwnLimit",
                "PhaseClock",
                "Reaction",
                "Reroute",
                "Rescuer",
                "StormBound",
                "Symptom",
                "Target",
                "LearnedBy",
                "Trigger",
            ),
        },
    )

__all__ = [
    "CONTROL",
    "AfterHeal",
    "App",
    "AppKind",
    "Cell",
    "Client",
    "ClientError",
    "Closed",
    "ClusterHistory",
    "Election",
    "Ender",
    "Engine",
    "EngineEvent",
    "EngineKind",
    "Event",
    "Expectation",
    "Facts",
    "Folded",
    "Header",
    "History",
    "LearnedBy",
    "Limits",
    "Mark",
    "MarkKind",
    "Opened",
    "Outcome",
    "OwnLimit",
    "PhaseClock",
    "Profile",
    "Reaction",
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
    "Symptom",
    "Target",
    "Trigger",
    "Verdict",
    "Workload",
    "control_first",
    "decode",
    "encode",
]
