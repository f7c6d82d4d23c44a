"""clients/platformatic-kafka: client.toml, library and driver agree."""

from __future__ import annotations

import functools
import json
from datetime import date
from typing import Any

import pytest

from probe.catalogue.families import Family, read_family
from probe.drivers.launch import Launch
from probe.drivers.sources.npm import Package
from probe.protocol.names import ERROR_NAMES
from tests.support.node_drivers import CLIENTS, UNSUPPORTED, answer_of, launch_of, starts

DRIVER = CLIENTS / "platformatic-kafka" / "driver"
OLD, NEW = "1.35.0", "2.12.1"
"""The newest release for Node 20, and the newest one, which needs a newer Node."""


@pytest.fixture(scope="module")
def family() -> Family:
    return read_family(CLIENTS / "platformatic-kafka" / "client.toml")


def test_every_version_is_newer_than_2024(family: Family) -> None:
    assert all(date.fromisoformat(item.released) > date(2025, 1, 1) for item in family.versions)


def test_additional_packages_are_pinned(family: Family) -> None:
    nodes = [text for span in family.source.nodes for text in span.packages]
    assert all(Package.parse(text).digest for text in [*family.source.extra, *family.source.inside, *nodes])


def test_every_version_has_a_node(family: Family) -> None:
    needed = [next(span.least for span in family.source.nodes if span.covers(item.version)) for item in family.versions]
    assert dict.fromkeys(needed) == dict.fromkeys(["20.19.4", "22.22.0"])
    assert all(span.reason for span in family.source.nodes)


def test_it_has_four_roles(family: Family) -> None:
    assert set(family.roles) == {"producer", "group", "transactional", "admin"}


def test_the_source_of_a_back_off_names_a_file(family: Family) -> None:
    assert all("dist/" in limit.source for limit in family.behaviour.back_off_ms)


def ask(launch: Launch, script: str) -> Any:
    """Run a script with the driver's modules and `library` imported; return its `answer`."""
    modules = {"library": "loadLibrary", "settings": "settle", "errors": "errorOf", "effective_settings": "effective"}
    imports = "".join(
        f"import {{ {name} }} from {json.dumps(str(DRIVER / f'{file}.js'))};" for file, name in modules.items()
    )
    code = f"{imports}const library = await loadLibrary({json.dumps(launch.argv[3])}, '');{script}"
    return answer_of(launch, code)


@pytest.mark.parametrize("version", [OLD, NEW])
def test_error_names_are_protocol_names(version: str) -> None:
    script = (
        "const answer = Object.keys(library.protocolErrors).map((id) => {"
        "  const broker = new library.ProtocolError(id);"
        "  return errorOf(new library.MultipleErrors('m', [new library.NetworkError('n'), broker]));"
        "})"
    )
    found = ask(launch_of("platformatic-kafka", version), script)
    assert len(found) > 100
    for error in found:
        assert error["name"] == ERROR_NAMES[error["code"]], error
        assert error["type"] == "MultipleErrors"


SETTINGS: tuple[tuple[str, str, str, dict[str, str], dict[str, str | None]], ...] = (
    (OLD, "producer", "isolated", {}, {"acks": "1", "retries": "3", "idempotence": "false"}),
    (OLD, "producer", "isolated", {}, {"refresh_least_ms": "86400000", "request_timeout_ms": "30000"}),
    (OLD, "producer", "defaults", {}, {"refresh_least_ms": "5000", "retry_backoff_ms": "1000"}),
    (OLD, "producer", "isolated", {"send.acks": "-1"}, {"acks": "all"}),
    (OLD, "producer", "idempotent", {}, {"acks": "all", "idempotence": "true", "max_in_flight": "1"}),
    (OLD, "producer", "no-retries", {}, {"retries": "0"}),
    (OLD, "producer", "acks-1", {}, {"acks": "1"}),
    (OLD, "producer", "quick-timeouts", {}, {"request_timeout_ms": "5000"}),
    (OLD, "producer", "refresh-1s", {}, {"refresh_least_ms": "1000"}),
    (OLD, "transactional", "isolated", {}, {"idempotence": "true"}),
    (OLD, "group", "isolated", {}, {"session_timeout_ms": "60000", "rebalance_timeout_ms": "102000", "acks": None}),
    (OLD, "group", "short-limits", {}, {"session_timeout_ms": "6000", "rebalance_timeout_ms": "8000"}),
    (OLD, "admin", "isolated", {"admin.retries": "9"}, {"retries": "9", "refresh_ms": None}),
)


@functools.cache
def settled(version: str) -> list[Any]:
    """Return the effective settings or the refusal for every start above, from one run of the driver."""
    script = (
        "const one = (start) => {"
        "  try {"
        "    const settings = settle(library, start);"
        "    const options = settings.producer ?? settings.consumer ?? settings.admin;"
        "    const Class = settings.producer ? library.Producer : settings.consumer ? library.Consumer : library.Admin;"
        "    const client = new Class({ ...options, clientId: 'c', groupId: 'g', bootstrapBrokers: ['localhost:1'] });"
        "    return effective(library, start, settings, client);"
        "  } catch (error) { return error.message }"
        "};"
        f"const answer = {starts(SETTINGS)}.map(one)"
    )
    return list(ask(launch_of("platformatic-kafka", version), script))


@pytest.mark.parametrize("place", range(len(SETTINGS)), ids=lambda place: "-".join(SETTINGS[place][:3]))
def test_effective_settings(place: int) -> None:
    version, expected = SETTINGS[place][0], SETTINGS[place][-1]
    found = settled(version)[place]
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize("place", range(len(UNSUPPORTED)), ids=lambda place: UNSUPPORTED[place][-1])
def test_invalid_settings_are_unsupported(place: int) -> None:
    assert UNSUPPORTED[place][-1] in settled(OLD)[len(SETTINGS) + place]
