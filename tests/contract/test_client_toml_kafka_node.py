"""clients/kafka-node: client.toml, library and driver agree."""

from __future__ import annotations

import json
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import Family, read_family
from probe.drivers.provision import provision
from probe.drivers.sources.npm import Package
from probe.errors import ProvisionError
from probe.protocol.names import ERROR_NAMES

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
DRIVER = CLIENTS / "kafka-node" / "driver"


@pytest.fixture(scope="module")
def family() -> Family:
    return read_family(CLIENTS / "kafka-node" / "client.toml")


def test_packages_are_pinned_and_versions_in_order_of_date(family: Family) -> None:
    assert all(Package.parse(text).digest for text in [*family.source.extra, *family.source.inside])
    days = [date.fromisoformat(item.released) for item in family.versions]
    assert days == sorted(days)


def test_it_runs_on_real_brokers_only(family: Family) -> None:
    assert family.core == ()
    assert family.behaviour.old_requests is not None
    assert set(family.roles) == {"producer", "consumer", "group"}


def ask(script: str) -> Any:
    """Run a script with the driver's modules and `library` of the newest version imported; return its `answer`."""
    family = read_family(CLIENTS / "kafka-node" / "client.toml")
    try:
        launch = provision(family, family.newest)
    except ProvisionError as error:
        pytest.skip(str(error))
    code = (
        f"import {{ loadLibrary }} from {json.dumps(str(DRIVER / 'library.js'))};"
        f"import {{ settle, profilesOf }} from {json.dumps(str(DRIVER / 'settings.js'))};"
        f"import {{ errorOf, errorOfCode }} from {json.dumps(str(DRIVER / 'errors.js'))};"
        f"import {{ effective }} from {json.dumps(str(DRIVER / 'effective_settings.js'))};"
        "import { createRequire } from 'node:module';"
        f"const load = createRequire({json.dumps(launch.argv[3] + '/any.cjs')});"
        f"const library = loadLibrary({json.dumps(launch.argv[3])}, '');"
        f"{script};process.stdout.write(JSON.stringify(answer));process.exit(0)"
    )
    argv = [launch.argv[0], "--input-type=module", "-e", code]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_name_of_the_library_has_its_code_and_kafkas_name() -> None:
    script = (
        "const { ERROR_CODE } = load('./lib/protocol/protocol_struct.js');"
        "const answer = Object.entries(ERROR_CODE).filter(([code]) => code !== '0')"
        "  .map(([code, name]) => [Number(code), errorOf(new Error(name)), errorOfCode(Number(code))])"
    )
    found = ask(script)
    assert len(found) > 25
    for code, named, coded in found:
        assert (named["code"], named["name"]) == (code, ERROR_NAMES[code])
        assert (coded["code"], coded["name"]) == (code, ERROR_NAMES[code])


def test_a_code_that_the_library_does_not_know_has_no_name() -> None:
    error = ask("const answer = errorOf(new Error(undefined))")
    assert (error["code"], error["name"]) == (-1, "")


def test_profiles_are_those_of_client_toml(family: Family) -> None:
    assert set(ask("const answer = profilesOf(library)")) == set(family.profiles)


@pytest.mark.parametrize(
    ("role", "profile", "properties", "expected"),
    [
        ("producer", "isolated", {}, {"acks": "1", "retries": "0", "refresh_ms": "-1", "request_timeout_ms": "30000"}),
        ("producer", "isolated", {"producer.requireAcks": "-1"}, {"acks": "all"}),
        ("producer", "quick-timeouts", {}, {"request_timeout_ms": "5000"}),
        ("group", "isolated", {}, {"session_timeout_ms": "30000", "heartbeat_ms": "10000", "refresh_ms": "86400000"}),
        ("group", "defaults", {}, {"refresh_ms": "30000", "longest_backoff_ms": "198360"}),
        ("group", "short-limits", {}, {"session_timeout_ms": "6000"}),
    ],
)
def test_effective_settings(role: str, profile: str, properties: dict[str, str], expected: dict[str, str]) -> None:
    start = {"role": role, "profile": profile, "properties": properties}
    script = (
        f"const start = {json.dumps(start)}; const settings = settle(library, start);"
        "const off = { autoConnect: false, kafkaHost: 'localhost:1' };"
        "const client = new library.KafkaClient({ ...settings.client, ...off });"
        "const made = settings.group"
        "  ? new library.ConsumerGroup({ ...off, ...settings.client, ...settings.group }, ['t'])"
        "  : new library.Producer(client, settings.producer);"
        "const answer = effective(start, settings, made.client, made)"
    )
    found = ask(script)
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("role", "profile", "properties", "why"),
    [
        ("group", "acks-1", {}, "only producers"),
        ("producer", "isolated", {"group.retries": "1"}, "no setting 'group.retries' for role producer"),
        ("producer", "isolated", {"requireAcks": "1"}, "no setting 'requireAcks'"),
        ("producer", "isolated", {"producer.requireAcks": "all"}, "does not take 'all'"),
    ],
)
def test_invalid_settings_are_unsupported(role: str, profile: str, properties: dict[str, str], why: str) -> None:
    start = {"role": role, "profile": profile, "properties": properties}
    script = f"let answer; try {{ settle(library, {json.dumps(start)}) }} catch (error) {{ answer = error.message }}"
    assert why in ask(script)
