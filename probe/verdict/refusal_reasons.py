"""Whether, and when, the application learned why a log-in or a permission was refused (docs/verdicts.md#refusals)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from probe.model import App, AppKind, EngineKind, LearnedBy
from probe.protocol.names import error_code
from probe.verdict.hits import Hit
from probe.verdict.service import ERRORS
from probe.verdict.wire_evidence import WireEvidence

LOG_IN_REFUSED = frozenset(map(error_code, ("UNSUPPORTED_SASL_MECHANISM", "SASL_AUTHENTICATION_FAILED")))
REFUSALS = LOG_IN_REFUSED | frozenset(
    map(
        error_code,
        (
            "TOPIC_AUTHORIZATION_FAILED",
            "GROUP_AUTHORIZATION_FAILED",
            "CLUSTER_AUTHORIZATION_FAILED",
            "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
            "ILLEGAL_SASL_STATE",
        ),
    )
)
"""Errors of log-ins and permissions: the reason, where the library passes the code on."""
LOG_IN_WORDS = re.compile(r"authenticat|authori[sz]|sasl|credential|mechanism|access denied", re.IGNORECASE)
TOKEN_WORDS = re.compile(rf"{LOG_IN_WORDS.pattern}|token|oauth|\b503\b", re.IGNORECASE)
TLS_WORDS = re.compile(r"certificat|handshake|\bssl\b|\btls\b|x509|altname|pkix", re.IGNORECASE)
"""Words of which a text that names the reason has one: of a refused log-in or permission, of a token that the token
server does not give, of a handshake that fails."""
ENDS = (*ERRORS, AppKind.FATAL)


def find_reason(evidence: WireEvidence, hits: Sequence[Hit]) -> tuple[LearnedBy, float | None]:
    """Return the way by which the application learned the reason, and when, in ms since the first refusal.

    An error goes before a notice, whichever came first: a callback or a log line may be read by nobody.
    """
    first, words = _first_reported(evidence, hits, EngineKind.TOKEN_REFUSED), TOKEN_WORDS
    if first is None:
        first, words = _first_refusal(evidence, hits), LOG_IN_WORDS
    if first is None:
        first, words = _first_reported(evidence, hits, EngineKind.HANDSHAKE_FAILED), TLS_WORDS
    if first is None:
        return LearnedBy.NONE, None
    since = first - evidence.clock_us
    naming = [item for item in evidence.judged_apps if item.at >= since and names_reason(item, words)]
    for way, kinds in ((LearnedBy.ERROR, ENDS), (LearnedBy.NOTICE, (AppKind.NOTICE,))):
        if found := next((item for item in naming if item.kind in kinds), None):
            return way, max(0, found.at - first) / 1000
    return LearnedBy.NOTHING, None


def names_reason(item: App, words: re.Pattern[str]) -> bool:
    """Return whether what the application was given names the reason, by its code or by a word."""
    error = item.error
    if error is not None and error.code in REFUSALS:
        return True
    texts = (item.text,) if error is None else (item.text, error.name, error.type, error.text)
    return any(map(words.search, texts))


def _first_refusal(evidence: WireEvidence, hits: Sequence[Hit]) -> int | None:
    """Return the first refusal; of tokens without headers (SaslHandshake v0) it is the end of the connection."""
    if not REFUSALS.intersection(evidence.play.codes):
        return None
    coded = next((hit.at for hit in hits if hit.code in REFUSALS), None)
    if coded is not None or LOG_IN_REFUSED.isdisjoint(evidence.play.codes):
        return coded
    met = {hit.at for hit in hits}
    return next((event.at for event in evidence.events.closed if event.by == "broker" and event.at in met), None)


def _first_reported(evidence: WireEvidence, hits: Sequence[Hit], kind: EngineKind) -> int | None:
    """Return the first event of a kind that reports a hit: a handshake that failed, a token that was refused."""
    met = {hit.at for hit in hits}
    found = (item for item in evidence.events.engine if item.kind is kind and item.value)
    return next((item.at for item in found if item.at in met), None)
