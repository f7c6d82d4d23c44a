"""Readers that are given committed records only: the setting of their library, and those that have none."""

from __future__ import annotations

from typing import Any, cast

import pytest

from probe.cli.wiring.run_selection import RunSelection
from probe.errors import ProbeError
from probe.model import Role
from probe.planning.plan import Plan
from probe.ports import Start
from probe.runner.trial.setup import make_start, make_subject

LEFT_OPEN = "txn/left-open"


class Tap:
    """Addresses that nobody connects to."""

    def address(self, node: int) -> str:
        return f"broker:{node}"


def plan(client: str, scenario: str, **more: Any) -> Plan:
    found, _ = RunSelection(clients=[client], scenarios=[scenario], roles=[Role.CONSUMER], seed=1, **more).whole()
    return found


def start_with(client: str, scenario: str, **more: Any) -> Start:
    (item,) = (item for item in plan(client, scenario, **more).cells if item.cell.scenario == scenario)
    return make_start(item, make_subject(item, "me", 1), cast("Any", Tap()))


def settings(client: str, scenario: str, **more: Any) -> dict[str, str]:
    return dict(start_with(client, scenario, **more).properties)


@pytest.mark.parametrize(
    ("client", "key", "value"),
    [
        ("java@3.9.2", "isolation.level", "read_committed"),
        ("sarama@1.61.1", "Consumer.IsolationLevel", "1"),
        ("kafka-python@3.0.12", "isolation_level", "read_committed"),
    ],
)
def test_a_reader_behind_a_transaction_gets_the_setting_of_its_library(client: str, key: str, value: str) -> None:
    assert settings(client, LEFT_OPEN)[key] == value
    assert key not in settings(client, "net/reset")


def test_a_property_of_the_user_decides() -> None:
    key = "isolation.level"
    assert settings("java@3.9.2", LEFT_OPEN, properties=[f"{key}=read_uncommitted"])[key] == "read_uncommitted"


def test_profile_read_committed_is_isolated_with_the_setting_of_the_library() -> None:
    start = start_with("franz-go@1.22.3", "net/reset", profiles=["read-committed"])
    assert (start.profile, start.properties["FetchIsolationLevel"]) == ("isolated", "read_committed")


@pytest.mark.parametrize(
    ("client", "role", "reason"),
    [
        ("kafka-python-ng@2.2.3", Role.CONSUMER, "kafka-python-ng has no profile read-committed"),
        ("java@3.9.2", Role.PRODUCER, "profile read-committed does not apply to role producer"),
    ],
)
def test_profile_read_committed_is_of_readers_with_such_a_setting(client: str, role: Role, reason: str) -> None:
    asked = RunSelection(clients=[client], scenarios=["net/reset"], roles=[role], profiles=["read-committed"], seed=1)
    with pytest.raises(ProbeError, match=f"^nothing to run: {reason};"):
        asked.whole()


def test_a_library_without_such_a_setting_is_skipped() -> None:
    (skip,) = (one for one in plan("kafka-python-ng@2.2.3", LEFT_OPEN).skips if one.cell.scenario == LEFT_OPEN)
    assert skip.reason.endswith("has no setting here by which a reader is given committed records only")
