"""clients/kafkajs: client.toml, library and driver agree."""

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

DRIVER = CLIENTS / "kafkajs" / "driver"


@pytest.fixture(scope="module")
def family() -> Family:
    return read_family(CLIENTS / "kafkajs" / "client.toml")


def test_versions_are_in_order_of_date(family: Family) -> None:
    days = [date.fromisoformat(item.released) for item in family.versions]
    assert days == sorted(days)


def test_additional_packages_are_pinned(family: Family) -> None:
    texts = [*family.source.extra, *(text for item in family.versions for text in item.extra)]
    assert all(Package.parse(text).digest for text in texts)


def test_long_js_is_added_before_1_14(family: Family) -> None:
    """CHANGELOG.md of KafkaJS: 1.14.0 removed long.js (663)."""
    assert [item.version for item in family.versions if item.extra] == ["1.10.0", "1.11.0", "1.12.0", "1.13.0"]


def test_it_has_four_roles(family: Family) -> None:
    assert set(family.roles) == {"producer", "group", "transactional", "admin"}


def test_the_source_of_a_back_off_names_a_file(family: Family) -> None:
    assert all("src/" in limit.source for limit in family.behaviour.back_off_ms)


def ask(launch: Launch, script: str) -> Any:
    """Run a script with the driver's modules and `library` imported; return its `answer`."""
    code = (
        f"import {{ loadLibrary }} from {json.dumps(str(DRIVER / 'library.js'))};"
        f"import {{ settle }} from {json.dumps(str(DRIVER / 'settings.js'))};"
        f"import {{ errorOf }} from {json.dumps(str(DRIVER / 'errors.js'))};"
        f"const library = loadLibrary({json.dumps(launch.argv[3])}, '');{script}"
    )
    return answer_of(launch, code)


@pytest.mark.parametrize("version", ["1.13.0", "2.2.4"])
def test_error_names_become_protocol_names(version: str) -> None:
    script = (
        "import { createRequire } from 'node:module';"
        f"const load = createRequire({json.dumps(str(DRIVER / 'main.js'))});"
        f"const protocol = load({json.dumps(launch_of('kafkajs', version).argv[3] + '/src/protocol/error.js')});"
        "const answer = protocol.errorCodes.map(({ code }) => errorOf(protocol.createErrorFromCode(code)))"
    )
    for error in ask(launch_of("kafkajs", version), script):
        assert error["name"] == ERROR_NAMES[error["code"]], error
        assert error["type"] == "KafkaJSProtocolError"


@pytest.mark.parametrize("version", ["1.16.0", "2.2.4"])
def test_the_error_code_is_found_inside_retry_errors(version: str) -> None:
    script = (
        "const protocol = { type: 'KAFKA_STORAGE_ERROR', code: 56, message: 'm', retriable: true };"
        "const inner = new library.KafkaJSProtocolError(protocol);"
        "const given = { retryCount: 5, retryTime: 9000, cause: inner };"
        "const answer = errorOf(new library.KafkaJSNumberOfRetriesExceeded(inner, given))"
    )
    error = ask(launch_of("kafkajs", version), script)
    assert error == {
        "code": 56,
        "name": "KAFKA_STORAGE_ERROR",
        "type": "KafkaJSNumberOfRetriesExceeded",
        "text": "m",
        "retriable": False,
    }


SETTINGS: tuple[tuple[str, str, str, dict[str, str], dict[str, str | None]], ...] = (
    (
        "2.2.4",
        "producer",
        "isolated",
        {},
        {"acks": "all", "retries": "5", "idempotence": "false", "refresh_least_ms": "86400000"},
    ),
    ("2.2.4", "producer", "idempotent", {}, {"acks": "all", "retries": "5", "idempotence": "true"}),
    ("2.2.4", "producer", "defaults", {}, {"refresh_least_ms": "300000", "request_timeout_ms": "30000"}),
    ("1.16.0", "producer", "defaults", {}, {"request_timeout_ms": None}),
    ("1.16.0", "producer", "quick-timeouts", {}, {"request_timeout_ms": "5000"}),
    ("2.2.4", "producer", "no-retries", {}, {"retries": "0", "longest_backoff_ms": "0"}),
    ("2.2.4", "producer", "acks-1", {}, {"acks": "1"}),
    ("2.2.4", "producer", "isolated", {"producer.retry.retries": "9"}, {"retries": "9", "longest_backoff_ms": "30000"}),
    ("2.2.4", "transactional", "isolated", {}, {"idempotence": "true", "max_in_flight": "1"}),
    ("2.2.4", "group", "isolated", {}, {"session_timeout_ms": "30000", "offset_reset": "earliest", "acks": None}),
    ("2.2.4", "group", "isolated", {}, {"longest_backoff_ms": "73884"}),
    ("2.2.4", "group", "refresh-1s", {"consumer.rebalanceTimeout": "9000"}, {"rebalance_timeout_ms": "9000"}),
    ("2.2.4", "producer", "refresh-1s", {}, {"refresh_least_ms": "1000", "refresh_ms": "1200"}),
    ("2.2.4", "admin", "isolated", {}, {"refresh_ms": None, "retry_backoff_ms": "300"}),
)


@functools.cache
def settled(version: str) -> list[Any]:
    """Return the effective settings or the refusal for every start above, from one run of the driver."""
    script = (
        "const one = (start) => {"
        "  try { return settle(library, start).effective } catch (error) { return error.message }"
        "};"
        f"const answer = {starts(SETTINGS)}.map(one)"
    )
    return list(ask(launch_of("kafkajs", version), script))


@pytest.mark.parametrize("place", range(len(SETTINGS)), ids=lambda place: "-".join(SETTINGS[place][:3]))
def test_effective_settings(place: int) -> None:
    version, expected = SETTINGS[place][0], SETTINGS[place][-1]
    found = settled(version)[place]
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize("place", range(len(UNSUPPORTED)), ids=lambda place: UNSUPPORTED[place][-1])
def test_invalid_settings_are_unsupported(place: int) -> None:
    assert UNSUPPORTED[place][-1] in settled("2.2.4")[len(SETTINGS) + place]
