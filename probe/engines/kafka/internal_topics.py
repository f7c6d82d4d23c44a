"""Topics in which brokers keep their own state: since when they have them, and how they make them. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from probe.model.release_lines import Since, has

OFFSETS_TOPIC, TRANSACTIONS_TOPIC = "__consumer_offsets", "__transaction_state"
SHARE_STATE_TOPIC = "__share_group_state"
COMPACT = {"cleanup.policy": "compact"}
INTERNAL: Mapping[str, tuple[Since, Mapping[str, str]]] = {
    OFFSETS_TOPIC: (Since.OFFSETS_TOPIC, {**COMPACT, "compression.type": "producer"}),
    TRANSACTIONS_TOPIC: (
        Since.PRODUCER_IDS,
        {**COMPACT, "compression.type": "uncompressed", "min.insync.replicas": "2"},
    ),
    SHARE_STATE_TOPIC: (
        Since.SHARE_GROUPS,
        {
            "cleanup.policy": "delete",
            "compression.type": "producer",
            "min.insync.replicas": "2",
            "retention.ms": "-1",
        },
    ),
}
"""Internal topics: since when brokers have them, and the configuration that brokers give them.

Where the first member of a share group let brokers make its topic, they chose the emptier log dir, which breaks.
"""


def internal_topics(version: str) -> Mapping[str, Mapping[str, str]]:
    """Return the internal topics that brokers of a version have, with their configuration."""
    return {topic: config for topic, (since, config) in INTERNAL.items() if has(version, since)}
