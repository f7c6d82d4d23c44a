"""Audits of services with the new group protocols: members set to it, and share consumers, which no baseline scores."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.model import Cell, Engine, Outcome, Role
from tests.unit.test_lookup import publish, settled, shipped

__all__ = ["shipped"]  # the fixture


def answer_about(tmp_path: Path, row: str, *arguments: str) -> tuple[str, int]:
    """Return what an audit of one service prints, and its exit code."""
    sheet = tmp_path / "services.csv"
    sheet.write_text(f"service,client,role,profile\norders,{row}\n")
    done = CliRunner().invoke(app, ["audit", str(sheet), "--results", str(tmp_path / "results"), *arguments])
    return f"{done.output} {done.exception}", getattr(done.exception, "exit_code", 0)


def share(scenario: str) -> Cell:
    return Cell("java", "4.4.0", Role.SHARE, "isolated", scenario, Engine.EMBEDDED, "4.4")


def test_a_share_consumer_is_asked_about_its_own_scenarios_and_ends_no_audit(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(share("disk/storage-error"), Outcome.STUCK), settled(share("steady"), Outcome.CLEAN))
    text, code = answer_about(tmp_path, "java@4.4.0,share,", "--broker", "4.4")
    assert "stops silently: disk/storage-error (share)" in text
    assert "share not scored: the baseline has no scenario of this role" in text
    assert code == 0


def test_brokers_without_share_groups_are_the_reason(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(share("disk/storage-error"), Outcome.STUCK))
    text, code = answer_about(tmp_path, "java@4.4.0,share,")
    assert "role share needs Kafka 4.2 or newer" in text
    assert code == 3


@pytest.mark.parametrize(
    ("row", "line", "why"),
    [
        ("librdkafka@2.16.0,group,consumer-protocol", "3.9", "brokers of line 3.9 do not serve it (KIP-848)"),
        ("librdkafka@2.11.1,group,consumer-protocol", "4.4", "librdkafka has it since 2.12.0"),
        ("sarama@1.43.3,group,consumer-protocol", "4.4", "sarama has no profile consumer-protocol"),
    ],
)
def test_a_member_that_cannot_have_the_new_protocol_is_no_question(
    tmp_path: Path, shipped: Path, row: str, line: str, why: str
) -> None:
    publish(shipped, settled(share("steady"), Outcome.CLEAN))
    text, code = answer_about(tmp_path, row, "--broker", line)
    assert f"it cannot have the consumer protocol: {why}" in text
    assert code == 3
