"""Expectations of a scenario for a client in one role, and the known limits of a client version."""

from __future__ import annotations

from dataclasses import dataclass

from probe.model.cell import Outcome, Reality
from probe.model.words import Reaction, Symptom, Target, Trigger


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """The faults of a scenario, and its expectations in one role (docs/verdicts.md#the-question)."""

    kind: Symptom
    expects: Reaction
    target: Target
    codes: tuple[int, ...] = ()
    """Error codes that make a hit, for the symptom `answer`; also for `change` where the old target answers with an
    error."""
    apis: tuple[int, ...] = ()
    """API keys in which the codes count. Empty = any."""
    causes: tuple[Trigger, ...] = ()
    """Triggers that count as "because of the fault"."""
    election_ms: int | None = None
    """Time from the first hit to the move, in the embedded engine. None where it does not apply."""
    prompt_ms: int = 3000
    """A recovery later than this after `available_at` is late."""
    watch_ms: int = 10000
    conforms: tuple[Outcome, ...] = ()
    """Outcomes that conform. Empty = informative."""
    reality: Reality = Reality.EFFECTIVE
    new_log: bool = False
    """The topic comes back as another one, whose records are read back: promises are about these. A reader that skips
    the first of them without an error breaks one (docs/verdicts.md#promise)."""
    fails: str = ""
    """Noun for what fails because of the fault, in the singular, where hits are more than cut connections and codes."""
    closes: bool = False
    """The application closes its client while the fault stands, and no other reaction is needed
    (docs/verdicts.md#closing)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Known limits of a client version, from client.toml."""

    back_off_ms: int
    """`b` of the storm bounds: the version's own back-off between retries or discoveries."""
    min_discovery_age_ms: int = 0
    """The client never asks again sooner than this after an answer."""
    own_limit_ms: int = 0
    """The client's own limit for this kind of fault. Patience is 1.2 times this limit, and at least the observation."""
    to_the_end: bool = False
    """The observation lasts until the client has recovered, or until none of its limits could rescue it any more
    (docs/verdicts.md#to-the-end)."""
    refresh_helps: bool = True
    """False for a client that is known to stand still with a refresh every second, too: none is awaited."""
