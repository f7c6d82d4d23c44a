"""Role variants of scenarios for members of share groups (KIP-932)."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Outcome, Role
from probe.scenarios.scenario import RoleVariant


def of_share_groups(led: RoleVariant) -> RoleVariant:
    """Return the variant for members of a share group that lose the leader of a partition.

    Records that the old leader gave are locked there alone, so that it refuses to accept them, and the new one gives
    them again. The application learns of the refusal, which conforms (Kafka 4.4.0: UNKNOWN_TOPIC_OR_PARTITION at the
    new leader, and the record comes again with the same delivery count).
    """
    play = led.expectation
    return replace(led, roles=(Role.SHARE,), expectation=replace(play, conforms=(*play.conforms, Outcome.SURFACES)))
