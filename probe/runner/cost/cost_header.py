"""The header of the trials of a scale. Pure."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Header
from probe.model.scale import Scale

PROOF = 3
"""Consecutive successes that prove a client's recovery (docs/verdicts.md#recovered)."""


def header_of(header: Header, scale: Scale, interval_ms: int) -> Header:
    """Return the header of the clients of a scale: prompt, and the observation, are longer by the proving records."""
    more = PROOF * interval_ms + 2 * scale.late
    play = replace(header.play, prompt_ms=header.play.prompt_ms + more, watch_ms=header.play.watch_ms + more)
    return replace(header, play=play, subject=replace(header.subject, bystander=scale.partitions), beat_ms=interval_ms)
