"""The table of roles: a row each, with what was written in ten tables before."""

from __future__ import annotations

import pytest

from probe.model import AppKind, Role
from probe.model.roles import READERS, ROLES, WRITERS
from probe.planning.paces import PACES
from probe.protocol.names import api_key
from probe.verdict.apis import MAIN
from probe.verdict.recovery import COMMIT, NEEDS, OPERATION, SUCCESSES


def test_each_role_has_a_row_in_every_table_of_roles() -> None:
    assert list(ROLES) == list(Role)
    for table in (NEEDS, SUCCESSES, MAIN, *PACES.values()):
        assert set(table) == set(Role)


def test_writers_and_readers() -> None:
    assert WRITERS == (Role.PRODUCER, Role.TRANSACTIONAL)
    assert READERS == (Role.CONSUMER, Role.GROUP)
    assert all(ROLES[role].reads is role.reads for role in Role)


@pytest.mark.parametrize(
    ("role", "needs", "success", "work"),
    [
        (Role.PRODUCER, {OPERATION: 3}, AppKind.ACKED, "Produce"),
        (Role.CONSUMER, {OPERATION: 3}, AppKind.RECEIVED, "Fetch ShareFetch"),
        (Role.GROUP, {OPERATION: 3, COMMIT: 1}, AppKind.RECEIVED, "Fetch ShareFetch"),
        (Role.TRANSACTIONAL, {OPERATION: 2}, AppKind.ACKED, "Produce"),
        (Role.ADMIN, {OPERATION: 3}, AppKind.LISTED, "ListOffsets"),
    ],
)
def test_what_proves_work_and_recovery(role: Role, needs: dict[str, int], success: AppKind, work: str) -> None:
    assert NEEDS[role] == needs
    assert ROLES[role].success is success
    assert MAIN[role] == {api_key(name) for name in work.split()}


def test_single_properties_belong_to_the_roles_that_branches_named() -> None:
    def having(name: str) -> set[Role]:
        return {role for role, info in ROLES.items() if getattr(info, name)}

    assert having("member") == {Role.GROUP}
    assert having("transactional") == {Role.TRANSACTIONAL}
    assert having("asks") == {Role.ADMIN}
    assert having("chooses_acks") == {Role.PRODUCER}
    assert having("has_group") == {Role.GROUP, Role.ADMIN}
    assert having("interrupted") == {Role.PRODUCER, Role.TRANSACTIONAL}
