"""Since which release line brokers have something: exact versions and lines compare alike."""

from __future__ import annotations

import pytest

from probe.model.release_lines import Since, has

LINES = {
    "0.9": "OFFSETS_TOPIC TLS",
    "0.10": "API_VERSIONS NAMED_CONTROLLER TIMESTAMPS SASL_PLAIN",
    "0.10.1": "LATEST_OFFSET",
    "0.10.2": "LISTENER_NAMES CREATION SASL_SCRAM",
    "0.11": "BATCHES DELETIONS PRODUCER_IDS THROTTLED_CREATION",
    "1.0": "GROWTH PREFERENCE SASL_AUTHENTICATE",
    "1.1": "CHOSEN_LOG_DIRS LARGE_BATCHES_LOAD",
    "2.0": "LOG_DIRS_QUICKLY",
    "2.1": "LEADER_EPOCHS",
    "2.2": "ELECTIONS",
    "2.4": "UNCLEAN_ELECTIONS REASSIGNMENT FOLLOWERS_SERVE",
    "2.6": "QUOTAS DUMPED_FIELDS",
    "3.1": "SIGNED_TOKENS",
    "3.4": "TOKENS_PACKAGE",
    "3.5": "KRAFT_HERE",
    "4.0": "OLD_REQUESTS_REFUSED NEW_GROUPS",
    "4.2": "SHARE_GROUPS STREAMS_GROUPS",
    "4.3": "RELAXED_COMMITS",
}


def test_every_row_has_the_line_of_kafka() -> None:
    assert {one.name: one.line for one in Since} == {
        name: line for line, names in LINES.items() for name in names.split()
    }


@pytest.mark.parametrize(
    ("version", "what", "wanted"),
    [
        ("0.9.0.1", Since.API_VERSIONS, False),
        ("0.10.2.2", Since.LISTENER_NAMES, True),
        ("0.10.1", Since.LISTENER_NAMES, False),
        ("0.11", Since.DELETIONS, True),
        ("2.6.2", Since.QUOTAS, True),
        ("3.4.1", Since.KRAFT_HERE, False),
        ("3.10", Since.KRAFT_HERE, True),
        ("4.4.0", Since.OLD_REQUESTS_REFUSED, True),
    ],
)
def test_a_version_has_what_its_line_has(version: str, what: Since, wanted: bool) -> None:
    assert has(version, what) is wanted
