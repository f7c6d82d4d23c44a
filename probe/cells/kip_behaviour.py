"""Signs of KIPs in trials: a rule per KIP over the facts of one trial. Pure.

A rule returns None where the trial shows neither. Where the KIP is a promise (`promise`), one trial that breaks it
decides; otherwise one trial that follows it shows that the client can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from probe.catalogue.kips import Answer
from probe.cells.aggregate import SettledCell
from probe.model.cell import Outcome
from probe.model.profile import DEFAULT_PROFILE, OWN_DEFAULTS
from probe.model.verdicts import Verdict
from probe.model.words import Reroute, Trigger
from probe.protocol.names import error_code

OF_2_6: Mapping[str, int] = MappingProxyType({"Produce": 8, "Fetch": 11})
"""The highest versions that brokers of 2.6 know: `validVersions` in ProduceRequest.json and FetchRequest.json of Kafka
2.6.0. The leader of `api/unsupported` is such a broker after its roll-back."""
HOLD_MS = 3000
"""Time for which the error of a scenario `hold/*` is answered."""
CONSTANT, GROWING = 0.8, 1 / 3
"""Shares of the questions that a client asks in `HOLD_MS` at its first back-off: from the first on its interval is
constant, up to the second it grows, where an older release of the library asks at a constant one."""
RECONNECTS = 3
"""Connections that a client opens at least which gives all of them up (`librdkafka-2.15.1-rebootstrap-required` in
known_results.toml)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Values of a library that rules need beside a trial."""

    back_off_ms: int = 0
    """Its first back-off, as `client.toml` has it; 0 = not known."""
    delivery_ms: int = 0
    """Its delivery limit by default; 0 = none, or not known."""
    older_is_constant: bool = False
    """Whether an older release asks at a constant interval in the scenario of KIP-580."""


Shown = tuple[Answer, str]
Holds = Callable[[SettledCell, Verdict, Context], Shown | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Trials that show whether a client follows a KIP, and the rule."""

    scenarios: tuple[str, ...]
    holds: Holds
    """It is asked about trials that say something about the client only."""
    promise: bool = False


def _asks_again(_: SettledCell, verdict: Verdict, __: Context) -> Shown | None:
    """KIP-35: after a broker was rolled back, its versions are asked for again, and used."""
    facts = verdict.facts
    used = [(api, version) for api, version in facts.api_versions if version > OF_2_6.get(api, 1 << 15)]
    if not used or facts.recovered is None:
        return None
    name = f"{used[0][0]} {used[0][1]}"
    if facts.recovered:
        return Answer.YES, f"sent {name}, and then what a broker of 2.6 knows, after that was all the leader offered"
    return Answer.NO, f"went on to send what the leader no longer offered, such as {name}: {verdict.reason}"


def _tells_in_time(_: SettledCell, verdict: Verdict, context: Context) -> Shown | None:
    """KIP-91: every record has an outcome after the delivery limit."""
    facts = verdict.facts
    if facts.unresolved:
        return Answer.NO, verdict.reason
    watched = facts.watched_ms or 0
    stayed = facts.recovered is False and context.delivery_ms and watched > context.delivery_ms
    if facts.unresolved is None or not (stayed and facts.failed_ops):
        return None
    limit = f"{context.delivery_ms / 1000:.0f} s"
    return Answer.YES, f"did not recover in {watched / 1000:.0f} s, and every record had an outcome after {limit}"


def _detects(_: SettledCell, verdict: Verdict, __: Context) -> Shown | None:
    """KIP-320: the application learns that the log was truncated."""
    error = verdict.facts.first_error
    if "LogTruncation" in error or "DataLoss" in error:
        return Answer.YES, f"reported to the application: {error.removeprefix('client:')}"
    return None


def _backs_off(_: SettledCell, verdict: Verdict, context: Context) -> Shown | None:
    """KIP-580: the questions in `HOLD_MS` are fewer than at a constant interval."""
    asked = verdict.facts.refreshes
    if not context.back_off_ms or asked is None or not verdict.facts.recovered:
        return None
    constant = HOLD_MS / context.back_off_ms
    if asked >= CONSTANT * constant and (verdict.facts.recovery_ms or 0) < HOLD_MS:
        every = f"{context.back_off_ms} ms, its first back-off"
        return Answer.NO, f"asked {asked} times in {HOLD_MS // 1000} s without a leader: every {every}"
    if asked <= GROWING * constant and context.older_is_constant:
        words = (
            f"asked {asked} times in {HOLD_MS // 1000} s without a leader; older releases ask some {constant:.0f} times"
        )
        return Answer.YES, words
    return None


def _writes_once(item: SettledCell, verdict: Verdict, _: Context) -> Shown | None:
    """KIP-679: with default settings a record whose answer was lost is stored once."""
    facts = verdict.facts
    if item.cell.profile not in {DEFAULT_PROFILE, OWN_DEFAULTS}:
        return None
    if facts.duplicated:
        return Answer.NO, f"{facts.duplicated} records were stored twice after a lost answer, with default settings"
    is_idempotent = any(api == "InitProducerId" for api, _ in facts.api_versions)
    if facts.duplicated == 0 and is_idempotent and facts.recovered:
        return Answer.YES, "stored each record once after a lost answer, with a producer id, with default settings"
    return None


def _goes_home(_: SettledCell, verdict: Verdict, __: Context) -> Shown | None:
    """KIP-899: when every known address is dead, the configured ones are asked."""
    facts = verdict.facts
    if facts.reroute == Reroute.BOOTSTRAP:
        return Answer.YES, verdict.reason
    if facts.reroute == Reroute.NONE and facts.recovered is False and facts.refresh_trigger == Trigger.NONE:
        return Answer.NO, verdict.reason
    return None


def _follows_hints(_: SettledCell, verdict: Verdict, __: Context) -> Shown | None:
    """KIP-951: the client is at the new leader before Metadata names it, whose answers the relay holds for 2 s."""
    facts = verdict.facts
    if not facts.fault_hits or facts.reroute is None:
        return None
    if facts.reroute == Reroute.HINT:
        return Answer.YES, "was at the new leader before Metadata named it"
    if facts.reroute == Reroute.REFRESH:
        return Answer.NO, f"was at the new leader only after Metadata named it: {verdict.reason}"
    if facts.reroute == Reroute.NONE and facts.recovered is False:
        return Answer.NO, f"did not follow the answer that names the new leader: {verdict.reason}"
    return None


def _starts_over(item: SettledCell, verdict: Verdict, _: Context) -> Shown | None:
    """KIP-1102: REBOOTSTRAP_REQUIRED sends the client to its configured addresses."""
    facts = verdict.facts
    if REBOOTSTRAP_REQUIRED not in facts.fault_codes:
        return None
    if item.cell.scenario == FOR_GOOD:
        went = facts.reroute == Reroute.BOOTSTRAP
        decided = went or facts.recovered is False
        return (Answer.YES if went else Answer.NO, verdict.reason) if decided else None
    if verdict.outcome is Outcome.LATE and facts.rescued_by == "retry":
        return Answer.NO, verdict.reason
    if facts.recovered and facts.connects >= RECONNECTS:
        return Answer.YES, f"gave its connections up and opened {facts.connects}: {verdict.reason}"
    if facts.recovered and facts.connects <= 1:
        return Answer.NO, f"asked again without new connections ({facts.connects} opened): {verdict.reason}"
    return None


REBOOTSTRAP_REQUIRED = error_code("REBOOTSTRAP_REQUIRED")
FOR_GOOD = "metadata/rebootstrap-for-good"
LONG_FAULTS = (
    "bootstrap/addresses-changed",
    "broker/hang",
    "cluster/outage",
    "leader/election-slow",
    "net/blackhole",
    "one-broker/net/blackhole",
)
"""Faults in which a client may stand still for longer than its delivery limit."""


BEHAVIOUR: Mapping[int, Rule] = MappingProxyType(
    {
        35: Rule(scenarios=("api/unsupported",), holds=_asks_again),
        91: Rule(scenarios=LONG_FAULTS, holds=_tells_in_time, promise=True),
        320: Rule(scenarios=("broker/unclean-election",), holds=_detects),
        580: Rule(scenarios=("hold/metadata/LEADER_NOT_AVAILABLE",), holds=_backs_off),
        679: Rule(scenarios=("net/response-lost",), holds=_writes_once, promise=True),
        899: Rule(scenarios=("bootstrap/addresses-changed",), holds=_goes_home),
        951: Rule(scenarios=("leader/hinted",), holds=_follows_hints),
        1102: Rule(scenarios=(FOR_GOOD, "metadata/rebootstrap-required"), holds=_starts_over),
    }
)
"""The rules, by the number of the KIP."""
