"""The translation of steps about log-ins and permissions into changes and rules of the fake cluster."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from probe.access import Access
from probe.engines.embedded.logins import ANOTHER, asked_logins, refused_logins
from probe.engines.embedded.network import Network
from probe.engines.embedded.nodes import NODES
from probe.engines.embedded.topic_rules import fault_rules
from probe.errors import EngineError
from probe.model import Role
from probe.model.security import Mechanism, Security
from probe.protocol import apis
from probe.run_credentials import MARK
from probe.scenarios.session_variants import SESSION_MS, session_variants
from probe.scenarios.steps.logins import (
    CutAllConnections,
    Refusal,
    RefuseFirstToken,
    RefuseLogins,
    RevokePermissions,
)
from probe.scenarios.steps.step import Step
from tests.engine.test_embedded_topic_rules import subject

PASSWORD = f"{MARK}of-this-test"


def access(text: str, session_ms: int = 0) -> Access:
    return Access(security=Security.parse(text), user="probe", password=PASSWORD, session_ms=session_ms)


@pytest.mark.parametrize("one", [None, access("SSL")])
def test_nobody_is_asked_to_log_in_without_a_mechanism(one: Access | None) -> None:
    assert asked_logins(one) == []
    with pytest.raises(EngineError, match="asks for no log-in, so none can be refused"):
        refused_logins([RefuseLogins(by=Refusal.CREDENTIALS)], one)


def test_sessions_have_the_length_of_the_scenario() -> None:
    (variant,) = session_variants()
    (change,) = asked_logins(access("SASL_PLAINTEXT/PLAIN", variant.cluster.session_ms))
    assert (change.security.session_ms, dict(change.security.passwords)) == (SESSION_MS, {"probe": PASSWORD})


def test_another_password_is_refused_at_once_and_keeps_the_mark_of_secrets() -> None:
    steps: list[Step] = [RefuseLogins(by=Refusal.CREDENTIALS), CutAllConnections()]
    (timed,) = refused_logins(steps, access("SASL_PLAINTEXT/SCRAM-SHA-512", 5000))
    assert (timed.from_start, timed.after_ms) == (True, 0)
    asked = timed.change.security
    assert (list(asked.mechanisms), dict(asked.passwords)) == (["SCRAM-SHA-512"], {"probe": PASSWORD + ANOTHER})
    assert asked.passwords["probe"].startswith(MARK)
    assert asked.session_ms == 5000  # as before the fault


@pytest.mark.parametrize("mechanism", list(Mechanism))
def test_a_mechanism_that_is_off_is_no_other_of_the_client(mechanism: Mechanism) -> None:
    (timed,) = refused_logins([RefuseLogins(by=Refusal.MECHANISM)], access(f"SASL_PLAINTEXT/{mechanism}"))
    (enabled,) = timed.change.security.mechanisms
    assert Mechanism(enabled) is not mechanism


def test_the_first_token_is_refused_where_clients_log_in_by_tokens_only() -> None:
    steps: list[Step] = [RefuseFirstToken(), CutAllConnections()]
    (timed,) = refused_logins(steps, access("SASL_PLAINTEXT/OAUTHBEARER"))
    asked = timed.change.security
    assert (timed.from_start, asked.refuse_first_token, list(asked.mechanisms)) == (True, True, ["OAUTHBEARER"])
    assert dict(asked.passwords) == {"probe": PASSWORD}
    with pytest.raises(EngineError, match="log in by PLAIN, so no token can be refused"):
        refused_logins(steps, access("SASL_PLAINTEXT/PLAIN"))


@pytest.mark.parametrize(
    ("role", "denied"),
    [
        (Role.PRODUCER, {"t": 29}),
        (Role.CONSUMER, {"t": 29}),
        (Role.GROUP, {"t": 29, "g": 30}),
        (Role.TRANSACTIONAL, {"t": 29, "x": 53}),
    ],
)
def test_permissions_are_denied_by_all_brokers_about_the_topic_and_the_keys(role: Role, denied: dict[str, int]) -> None:
    rules = fault_rules([RevokePermissions()], subject(role), 0).rules
    assert {rule.topic or rule.key: rule.code for rule in rules} == denied
    assert not any(rule.brokers or rule.count or list(rule.partitions) for rule in rules)
    about_topic, *about_keys = rules
    assert {apis.METADATA, apis.PRODUCE, apis.FETCH, apis.LIST_OFFSETS} <= set(about_topic.apis)
    assert all(apis.FIND_COORDINATOR in rule.apis for rule in about_keys)


def test_connections_to_every_broker_are_cut() -> None:
    cut: list[int] = []

    async def note(node: Any) -> None:
        cut.append(node)

    relay: Any = SimpleNamespace(cut=note)
    asyncio.run(Network(relay, note, note).after([CutAllConnections()], subject()))
    assert sorted(cut) == sorted(NODES.addresses)
