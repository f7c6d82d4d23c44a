"""librdkafka by ctypes: old versions keep the contract; a version with both bindings has the same outcome."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from probe.catalogue.families import Family, Version, read_family
from probe.model import App, AppKind, History
from tests.contract import test_drivers as contract
from tests.support.real_cells import planned, play

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
FAMILY = read_family(CLIENTS / "librdkafka" / "client.toml")
BOTH_WAYS = "2.3.0"
OLD = ("0.11.4", "1.4.2", "1.9.2")
"""Before the idempotent producer, the first with transactions that is pinned, the last by ctypes."""
PROMISES: tuple[Callable[[Family, Version], None], ...] = (
    contract.test_hello_agrees_with_client_toml,
    contract.test_a_member_commits_only_delivered_offsets,
    contract.test_an_error_carries_code_and_name_and_hits_one_partition,
    contract.test_events_come_in_batches_and_pings_are_answered_at_once,
    contract.test_a_driver_ends_with_its_standard_input,
)

pytestmark = [pytest.mark.real, pytest.mark.xdist_group("librdkafka")]


def pinned(version: str) -> Version:
    found = FAMILY.find(version)
    assert found is not None
    return found


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__.removeprefix("test_"))
@pytest.mark.parametrize("version", OLD)
def test_an_old_version_keeps_the_contract(version: str, promise: Callable[[Family, Version], None]) -> None:
    promise(FAMILY, pinned(version))


def test_a_release_whose_package_tells_its_version_by_text_only_keeps_the_contract() -> None:
    for promise in PROMISES[:2]:
        promise(FAMILY, pinned("2.12.0"))


@pytest.mark.parametrize("version", OLD)
def test_an_old_version_reports_its_operations(version: str) -> None:
    for name in contract.WORKING:
        contract.test_ready_comes_first_with_settings(FAMILY, pinned(version), name)
        contract.test_an_instance_ends_once_within_its_deadline(FAMILY, pinned(version), name)
    for invented in contract.INVENTED:
        contract.test_invented_names_are_unsupported(FAMILY, pinned(version), invented)
    for partition in (0, 1):
        contract.test_each_operation_is_sent_then_ended_once(FAMILY, pinned(version), partition)
        for name in ("consumer", "group"):
            contract.test_records_are_received_whole_and_in_order(FAMILY, pinned(version), name, partition)


def by_ctypes(argv: tuple[str, ...]) -> tuple[str, ...]:
    runtime = "/librdkafka_driver/"
    changed = tuple(item.replace(f"{runtime}__main__.py", f"{runtime}ctypes_main.py") for item in argv)
    assert changed != argv
    return changed


@pytest.mark.parametrize("role", ["producer", "group"])
@pytest.mark.parametrize("scenario", ["disk/storage-error", "leader/elected"])
def test_ctypes_and_package_give_the_same_outcome(scenario: str, role: str) -> None:
    item = planned(f"librdkafka@{BOTH_WAYS}", scenario, role)
    ((own, judged),) = play([item])
    ((bound, again),) = play([item], argv={item.cell.client: by_ctypes})
    assert (again.outcome, again.facts.reroute) == (judged.outcome, judged.facts.reroute)
    assert settings(bound) == settings(own)


def settings(history: History) -> dict[str, str]:
    """Return the effective settings that the client reported."""
    (ready,) = [event for event in history.events if isinstance(event, App) and event.kind == AppKind.READY]
    return dict(ready.settings)
