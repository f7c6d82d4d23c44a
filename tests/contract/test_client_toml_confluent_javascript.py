"""clients/confluent-javascript: client.toml, library and driver agree."""

from __future__ import annotations

import functools
import json
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import Family, read_family
from probe.drivers.launch import Launch
from probe.drivers.provision import provision
from probe.drivers.sources.npm import Package
from probe.errors import ProvisionError
from probe.protocol.names import ERROR_NAMES
from tests.support.tried_versions import BUILD_S

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
DRIVER = CLIENTS / "confluent-javascript" / "driver"
LOCAL = -2
"""Codes up to this one are librdkafka's own."""


@pytest.fixture(scope="module")
def family() -> Family:
    return read_family(CLIENTS / "confluent-javascript" / "client.toml")


def test_every_version_is_newer_than_2023(family: Family) -> None:
    assert all(date.fromisoformat(item.released) > date(2024, 1, 1) for item in family.versions)


def test_the_library_inside_each_version_is_driven_too(family: Family) -> None:
    librdkafka = read_family(CLIENTS / "librdkafka" / "client.toml")
    inside = [item.library for item in family.versions if item.library is not None]
    assert [item.family for item in inside] == ["librdkafka"] * len(family.versions)
    assert all(librdkafka.find(item.version) for item in inside)


def test_additional_packages_are_pinned(family: Family) -> None:
    assert all(Package.parse(text).digest for text in [*family.source.extra, *family.source.inside])


def test_profiles_are_those_of_librdkafka(family: Family) -> None:
    librdkafka = read_family(CLIENTS / "librdkafka" / "client.toml")
    assert set(librdkafka.profiles) - set(family.profiles) == {"zstd", "autocommit"}
    assert set(librdkafka.roles) - set(family.roles) == {"consumer", "share"}


@functools.cache
def launch() -> Launch:
    newest = read_family(CLIENTS / "confluent-javascript" / "client.toml")
    try:
        return provision(newest, newest.newest)
    except ProvisionError as error:
        pytest.skip(str(error))


def ask(script: str) -> Any:
    """Run a script with the driver's modules and `library` imported; return its `answer`."""
    modules = {"library": "loadLibrary", "settings": "settle", "errors": "errorOf", "effective_settings": "effective"}
    imports = "".join(
        f"import {{ {name} }} from {json.dumps(str(DRIVER / f'{file}.js'))};" for file, name in modules.items()
    )
    code = (
        f"{imports}const library = loadLibrary({json.dumps(launch().argv[3])}, '');"
        f"{script};process.stdout.write(JSON.stringify(answer));"
    )
    # An exit would wait for a client that connects: its call occupies a thread.
    argv = [launch().argv[0], "--input-type=module", "-e", f"{code}process.kill(process.pid, 'SIGKILL')"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


built = [pytest.mark.real, pytest.mark.timeout(BUILD_S), pytest.mark.xdist_group("confluent-javascript")]


class TestBuilt:
    pytestmark = built

    def test_the_library_inside_is_the_one_of_the_catalogue(self, family: Family) -> None:
        package = json.loads((Path(launch().argv[3]) / "package.json").read_text())
        assert family.newest.library is not None
        assert package["version"] == family.newest.version
        assert package["librdkafka"] == family.newest.library.version

    def test_no_source_and_no_object_of_the_build_is_kept(self) -> None:
        folder = Path(launch().argv[3])
        assert not [path for path in folder.rglob("*") if path.suffix in {".c", ".cc", ".h", ".o", ".a", ".gyp"}]
        assert (folder / "build" / "Release" / "confluent-kafka-javascript.node").is_file()

    def test_error_names_are_protocol_names(self) -> None:
        script = (
            "const answer = [...new Set(Object.values(library.ErrorCodes))].filter((code) => code !== 0)"
            ".map((code) => [code, errorOf(new library.KafkaJSError('m', { code }))])"
        )
        found = ask(script)
        assert len(found) > 150
        for code, error in found:
            if code <= LOCAL:
                assert (error["code"], error["name"]) == (-1, "")
                assert error["type"].startswith("_")
            else:
                assert (error["code"], error["name"]) == (code, ERROR_NAMES[code])

    @pytest.mark.parametrize(("role", "profile", "properties", "expected"), [
        ("producer", "isolated", {}, {"refresh_ms": "-1", "retries": "5", "retry_backoff_ms": "300", "acks": "all"}),
        ("producer", "defaults", {}, {"refresh_ms": "300000", "longest_backoff_ms": "30000"}),
        ("producer", "no-retries", {}, {"retries": "0"}),
        ("producer", "isolated", {"retries": "9"}, {"retries": "9"}),
        ("producer", "isolated", {"kafkaJS.retry.retries": "9"}, {"retries": "9"}),
        ("producer", "isolated", {"kafkaJS.acks": "1", "linger.ms": "7"}, {"acks": "1", "linger_ms": "7"}),
        ("producer", "idempotent", {}, {"idempotence": "true", "max_in_flight": "5"}),
        ("transactional", "isolated", {}, {"idempotence": "true", "socket_timeout_ms": "30000"}),
        ("group", "isolated", {}, {"session_timeout_ms": "30000", "rebalance_timeout_ms": "600000"}),
        ("group", "short-limits", {}, {"session_timeout_ms": "6000", "rebalance_timeout_ms": "16000"}),
        ("admin", "isolated", {"kafkaJS.requestTimeout": "4000"}, {"socket_timeout_ms": "4000"}),
    ])  # fmt: skip
    def test_effective_settings(
        self, role: str, profile: str, properties: dict[str, str], expected: dict[str, str]
    ) -> None:
        found = settled(role, profile, properties)
        assert {name: found[name] for name in expected} == expected

    @pytest.mark.parametrize(("role", "profile", "properties", "text"), [
        ("group", "acks-1", {}, "only producers"),
        ("producer", "static-member", {}, "only members of a group"),
        ("producer", "isolated", {"kafkaJS.sessionTimeout": "1"}, "no setting 'kafkaJS.sessionTimeout'"),
        ("producer", "isolated", {"kafkaJS.idempotent": "perhaps"}, "does not take 'perhaps'"),
        ("producer", "isolated", {"invented.setting": "1"}, "No such configuration property"),
        ("producer", "isolated", {"idempotent": "true"}, "must be moved to the kafkaJS block"),
    ])  # fmt: skip
    def test_invalid_settings_are_unsupported(
        self, role: str, profile: str, properties: dict[str, str], text: str
    ) -> None:
        assert text in settled(role, profile, properties)


def settled(role: str, profile: str, properties: dict[str, str]) -> Any:
    """Return the effective settings of a client that connects nowhere, or the refusal."""
    start = {"role": role, "profile": profile, "properties": properties, "client_id": "c", "instance": "i"}
    extra = {"transactional": {"transactionalId": "t"}, "group": {"groupId": "g"}}.get(role, {})
    kind = {"group": "consumer", "admin": "admin"}.get(role, "producer")
    script = (
        f"const start = {{ ...{json.dumps(start)}, bootstrap: ['localhost:1'] }};"
        f"import {{ connected }} from {json.dumps(str(DRIVER / 'client.js'))};"
        "const ended = await new Promise((resolve) => {"
        "  const reports = { ready: resolve, notice() {} };"
        "  const attempt = async () => {"
        "    const { block, own } = settle(library, start);"
        f"    const settings = {{ block: {{ ...block, ...{json.dumps(extra)} }}, own }};"
        f"    await connected(library, start, reports, settings, '{kind}', () => null);"
        "  };"
        "  attempt().catch((error) => resolve(error.message));"
        "});"
        "const answer = ended"
    )
    return ask(script)
