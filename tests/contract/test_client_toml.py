"""Every clients/*/client.toml: versions are pinned, dated and in order, roles and profiles have known names."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from probe.catalogue.families import Family, read_family
from probe.catalogue.selectors import PROFILES
from probe.model import Role
from probe.model.versions import version_key

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
FAMILIES = sorted(path.parent.name for path in CLIENTS.glob("*/client.toml"))
SHA256 = r"sha256:[0-9a-f]{64}"
DIGESTS = {
    "crate": SHA256,
    "jar": SHA256,
    "module": r"h1:[A-Za-z0-9+/]{43}=",
    "npm": r"sha512-[A-Za-z0-9+/]{86}==",
    "program": SHA256,
    "wheel": SHA256,
}
"""Form of a version's digest, by kind of source."""
FILES = {"crate": r"\w+\.rs", "module": r"\w+\.go"}
"""Names in the source of a limit, by kind of source: a file of the library."""
BACK_OFFS_MS = {
    "beats": {1000},
    "benthos-kafka-franz": {250},
    "confluent-javascript": {300},
    "franz-go": {100, 250},
    "kafka-node": {1000},
    "kafkajs": {300},
    "otel-collector": {100, 250},
    "platformatic-kafka": {1000},
}
"""Back-offs of the versions of a family; 100 ms where it is not named."""


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> Family:
    found = read_family(CLIENTS / request.param / "client.toml")
    assert found.family == request.param
    return found


def test_every_version_is_pinned_dated_and_in_order(family: Family) -> None:
    for item in family.versions:
        assert re.fullmatch(DIGESTS[family.source.kind], item.digest), item
        assert date.fromisoformat(item.released) <= date.today(), item  # noqa: DTZ011  # days
    keys = [version_key(item.version) for item in family.versions]
    assert keys == sorted(set(keys))
    assert len({item.digest for item in family.versions}) == len(family.versions)


def test_roles_and_profiles_have_known_names_and_reasons(family: Family) -> None:
    assert set(family.roles) <= set(Role)
    assert set(family.profiles) <= set(PROFILES)
    spans = [*family.roles.values(), *family.profiles.values()]
    assert all(span.reason for span in spans if span.since or span.until)
    assert all(family.missing_workloads.values())


def test_every_version_has_one_back_off(family: Family) -> None:
    limits = family.behaviour.back_off_ms
    assert {sum(limit.covers(item.version) for limit in limits) for item in family.versions} == {1}
    found = {family.limit(limits, item.version) for item in family.versions}
    assert found == BACK_OFFS_MS.get(family.family, {100})


def test_every_limit_has_a_source(family: Family) -> None:
    limits = [*family.behaviour.back_off_ms, *family.behaviour.min_discovery_age_ms]
    form = FILES.get(family.source.kind, r"\w")
    assert [limit.source for limit in limits if not re.search(form, limit.source)] == []
