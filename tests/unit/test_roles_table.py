"""The table of roles: a row each, with what was written in ten tables before."""

from __future__ import annotations

import pytest

from probe.model import AppKind, Role
from probe.model.paces import SELDOM, SHARED, TRANSACTIONS, Pace
from probe.model.roles import READERS, ROLES, WRITERS
from probe.protocol.names import api_key
from probe.verdict.apis import proving
from probe.verdict.recovery import COMMIT, OPERATION, needs


def test_each_role_has_a_row() -> None:
    assert list(ROLES) == list(Role)


def test_writers_and_readers() -> None:
    assert WRITERS == (Role.PRODUCER, Role.TRANSACTIONAL)
    assert READERS == (Role.CONSUMER, Role.GROUP, Role.SHARE)


@pytest.mark.parametrize(
    ("role", "counts", "success", "pace", "work"),
    [
        (Role.PRODUCER, {OPERATION: 3}, AppKind.ACKED, SHARED, "Produce"),
        (Role.CONSUMER, {OPERATION: 3}, AppKind.RECEIVED, SHARED, "Fetch ShareFetch"),
        (Role.GROUP, {OPERATION: 3, COMMIT: 1}, AppKind.RECEIVED, SHARED, "Fetch ShareFetch"),
        (Role.TRANSACTIONAL, {OPERATION: 2}, AppKind.ACKED, TRANSACTIONS, "Produce"),
        (Role.ADMIN, {OPERATION: 3}, AppKind.LISTED, SELDOM, "ListOffsets"),
        (Role.SHARE, {OPERATION: 3, COMMIT: 1}, AppKind.RECEIVED, SHARED, "ShareFetch"),
    ],
)
def test_what_proves_work_and_recovery(
    role: Role, counts: dict[str, int], success: AppKind, pace: Pace, work: str
) -> None:
    assert needs(role) == counts
    assert ROLES[role].shared_pace is pace
    assert ROLES[role].success is success
    assert proving(role) == {api_key(name) for name in work.split()}


def test_single_properties_belong_to_the_roles_that_branches_named() -> None:
    def having(name: str) -> set[Role]:
        return {role for role, info in ROLES.items() if getattr(info, name)}

    assert having("member") == {Role.GROUP, Role.SHARE}
    assert having("shares") == {Role.SHARE}
    assert having("transactional") == {Role.TRANSACTIONAL}
    assert having("asks") == {Role.ADMIN}
    assert having("chooses_acks") == {Role.PRODUCER}
    assert having("has_group") == {Role.GROUP, Role.ADMIN, Role.SHARE}
    assert having("core") == {Role.PRODUCER, Role.CONSUMER}
    assert having("counts_cost") == {Role.PRODUCER}
    assert set(Role) - having("has_level") == {Role.ADMIN, Role.SHARE}
    assert having("interrupted") == {Role.PRODUCER, Role.TRANSACTIONAL}
