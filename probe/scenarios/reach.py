"""Errors that exist only from some request version on, and whether they can reach a client.

A broker returns some errors to newer request versions only. A client that sends older versions never gets them, however
long it is observed. The request versions are those of `probe.scenarios.error_answers` (`since`, with its source per
line). For errors about the leader epoch they are the versions with the field `CurrentLeaderEpoch` in Kafka's message
definitions (KIP-320). Without that field there is no epoch that a broker could refuse.
"""

from __future__ import annotations

from collections.abc import Mapping

from probe.model import Symptom
from probe.protocol.names import api_key, api_name, error_name
from probe.scenarios.scenario import RoleVariant
from probe.scenarios.steps.partitions import AnswerError

Versions = Mapping[str, int]
"""Highest version of each API that a client sends, by Kafka's name of the API (`Facts.api_versions`)."""

LEADER_EPOCH_SINCE: Mapping[int, int] = {
    api_key("Fetch"): 9,
    api_key("ListOffsets"): 4,
    api_key("OffsetForLeaderEpoch"): 2,
}
"""First request version that carries the client's leader epoch, by API key."""


def depends_on_version(variant: RoleVariant) -> bool:
    """Return whether `out_of_reach` can give a reason for some client."""
    return any(step.min_version > 0 or step.with_epoch for step in _errors(variant))


def out_of_reach(variant: RoleVariant, versions: Versions) -> str:
    """Return why no error of this variant can reach a client with these request versions; empty if one can.

    An API that is missing from the versions may be called later, in any version.
    """
    reasons = [_too_old(step, versions) for step in _errors(variant)]
    return reasons[-1] if reasons and all(reasons) else ""


def _errors(variant: RoleVariant) -> list[AnswerError]:
    """Return the errors if they are the whole fault. In any other fault, a client need not meet the error."""
    return (
        [step for step in variant.steps if isinstance(step, AnswerError)]
        if variant.expectation.kind is Symptom.ANSWER
        else []
    )


def _too_old(step: AnswerError, versions: Versions) -> str:
    api, error = api_name(step.api), error_name(step.code)
    if step.with_epoch and step.api not in LEADER_EPOCH_SINCE:
        return f"{error} is about the leader epoch in a request, and {api} requests carry none in any version"
    needed = max(step.min_version, LEADER_EPOCH_SINCE[step.api] if step.with_epoch else 0)
    sent = versions.get(api)
    if sent is None or sent >= needed:
        return ""
    what = "carries a leader epoch only" if step.with_epoch else f"is answered {error} only"
    return f"{api} {what} from version {needed} on; this client sends version {sent} here"
