"""Builds of .NET and Gradle, lock files of Ruby, PHP and Elixir: what names a release, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.inventory.inventory_reader import read_inventories
from tests.support.inventories import SAMPLES, only, read, shown

CSPROJ = '<Project Sdk="x"><ItemGroup><PackageReference Include="Confluent.Kafka" {}/></ItemGroup></Project>'
KTS = 'dependencies {{\n    implementation("{}")\n}}\n'
CLIENTS = "org.apache.kafka:kafka-clients"


def folder(root: Path, **files: str) -> list[tuple[str, str, str]]:
    for name, text in files.items():
        path = root / name.replace("__", ".").replace("___", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [item for reading in read_inventories([str(root)]) for item in shown(reading)]


class TestDotNet:
    @pytest.mark.parametrize(
        ("attributes", "selector", "unknown"),
        [
            ('Version="2.3.0"', "confluent-kafka-dotnet@2.3.0", ""),
            ('Version="[2.3.0]"', "confluent-kafka-dotnet@2.3.0", ""),
            ('VersionOverride="2.6.1"', "confluent-kafka-dotnet@2.6.1", ""),
            ('Version="2.*"', "", "2.* is a range"),
            ('Version="[2.3.0,3.0)"', "", "is a range"),
            ('Version="$(KafkaVersion)"', "", "$(KafkaVersion) is a property that another file sets"),
            ("", "", "its version stands elsewhere, such as in Directory.Packages.props"),
        ],
    )
    def test_a_version_is_a_release_a_range_or_elsewhere(self, attributes: str, selector: str, unknown: str) -> None:
        found = only(read(CSPROJ.format(attributes), "shop.csproj"))
        assert (found.selector, unknown in found.unknown, found.service) == (selector, True, "shop")

    def test_a_central_version_counts_once(self, tmp_path: Path) -> None:
        central = (SAMPLES / "Directory.Packages.props").read_text()
        found = folder(tmp_path, Directory__Packages__props=central, shop__csproj=CSPROJ.format(""))
        assert [client for _, client, _ in found] == ["confluent-kafka-dotnet@2.6.1"]

    def test_a_lock_file_beside_it_counts_instead(self, tmp_path: Path) -> None:
        lock = (SAMPLES / "packages.lock.json").read_text()
        found = folder(tmp_path, packages__lock__json=lock, shop__csproj=CSPROJ.format('Version="2.0.2"'))
        assert [client for _, client, _ in found] == ["confluent-kafka-dotnet@2.3.0"]

    def test_a_librdkafka_of_the_project_decides(self) -> None:
        lock = (SAMPLES / "packages.lock.json").read_text()
        own = lock.replace(
            '"type": "Transitive",\n        "resolved": "2.3.0"', '"type": "Direct",\n        "resolved": "2.5.3"'
        )
        assert own != lock
        assert only(read(own, "packages.lock.json")).selector == "librdkafka@2.5.3"

    def test_the_old_form_is_read(self) -> None:
        text = '<?xml version="1.0"?>\n<packages>\n  <package id="Confluent.Kafka" version="1.9.3" />\n</packages>\n'
        assert only(read(text, "packages.config")).selector == "confluent-kafka-dotnet@1.9.3"

    def test_entities_are_refused(self) -> None:
        text = '<!DOCTYPE a [<!ENTITY x "y">]>' + CSPROJ.format('Version="&x;"')
        assert "entities or a document type" in read(text, "a.csproj").problem


class TestGradle:
    def test_a_wrapper_without_a_version_is_decided_by_spring_boot(self) -> None:
        text = KTS.format("org.springframework.kafka:spring-kafka")
        for boot in (
            'plugins {\n    id("org.springframework.boot") version "3.3.4"\n}\n',
            "plugins { id 'org.springframework.boot' version '3.3.4' }\n",
            'dependencies {\n  api(platform("org.springframework.boot:spring-boot-dependencies:3.3.4"))\n}\n',
        ):
            found = only(read(boot + text, "build.gradle.kts"))
            assert (found.selector, "Spring Boot 3.3.4" in found.note) == ("spring-boot@3.3.4", True)
        assert "names no version" in only(read(text, "build.gradle.kts")).unknown

    def test_a_name_has_the_value_that_is_given_to_it(self) -> None:
        text = KTS.format(f"{CLIENTS}:$kafkaVersion")
        assert only(read(f'val kafkaVersion = "3.9.1"\n{text}', "build.gradle.kts")).selector == "java@3.9.1"
        assert only(read(f'extra["kafkaVersion"] = "3.9.1"\n{text}', "build.gradle.kts")).selector == "java@3.9.1"
        assert only(read(text, "build.gradle.kts")).unknown == "$kafkaVersion is set elsewhere"
        twice = f'val kafkaVersion = "3.9.1"\nval kafkaVersion = "3.8.0"\n{text}'
        assert only(read(twice, "build.gradle.kts")).selector == ""

    def test_properties_beside_it_count(self, tmp_path: Path) -> None:
        text = KTS.format(f"{CLIENTS}:${{kafkaVersion}}")
        found = folder(tmp_path, build__gradle__kts=text, gradle__properties="kafkaVersion=3.9.1\n")
        assert [client for _, client, _ in found] == ["java@3.9.1"]

    def test_builds_of_others_and_ranges_name_no_release(self) -> None:
        for version, why in (
            ("7.6.0-ccs", "no release of the project"),
            ("3.+", "is a range"),
            ("[3.0,4.0)", "is a range"),
        ):
            assert why in only(read(KTS.format(f"{CLIENTS}:{version}"), "build.gradle.kts")).unknown

    def test_a_lock_file_beside_it_counts_instead(self, tmp_path: Path) -> None:
        lock = f"# This is a Gradle generated file for dependency locking.\n{CLIENTS}:3.9.1=runtimeClasspath\n"
        found = folder(tmp_path, gradle__lockfile=lock, build__gradle=KTS.format(f"{CLIENTS}:3.8.0"))
        assert [client for _, client, _ in found] == ["java@3.9.1"]

    def test_a_catalogue_without_a_version_says_so(self) -> None:
        text = f'[libraries]\nkafka = {{ module = "{CLIENTS}" }}\n'
        assert "a bill of materials decides it" in only(read(text, "libs.versions.toml")).unknown


def test_a_gem_for_several_platforms_is_one_client() -> None:
    text = (
        "GEM\n  remote: https://rubygems.org/\n  specs:\n    rdkafka (0.23.1-x86_64-linux-gnu)\n    rdkafka (0.23.1)\n"
    )
    assert only(read(text, "Gemfile.lock")).selector == "rdkafka-ruby@0.23.1"


def test_a_shop_of_many_languages_is_read(tmp_path: Path) -> None:
    """NR6 of the reports: the files of a public demo shop, each in a folder of its own."""
    image = "telegraf:1.31.3-alpine"
    files = {
        "basket/basket.csproj": CSPROJ.format('Version="2.3.0"'),
        "cart/packages.lock.json": '{"version": 1, "dependencies": {"net8.0": {"Confluent.Kafka": {"type": "Direct", '
        '"resolved": "2.3.0"}}}}',
        "fraud/build.gradle.kts": KTS.format(f"{CLIENTS}:4.3.1"),
        "docker-compose.yml": f"services:\n  metrics:\n    image: {image}\n",
        "deploy/metrics.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: metrics\nspec:\n  template:\n"
        f"    spec:\n      containers:\n      - name: a\n        image: {image}\n",
        "mail/Gemfile.lock": "GEM\n  specs:\n    rdkafka (0.19.0)\n      ffi (~> 1.15)\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    readings = read_inventories([str(tmp_path)])
    found = {(service, client) for reading in readings for service, client, unknown in shown(reading) if not unknown}
    assert found == {
        ("basket", "confluent-kafka-dotnet@2.3.0"),
        ("cart", "confluent-kafka-dotnet@2.3.0"),
        ("fraud", "java@4.3.1"),
        ("metrics", "telegraf@1.31.3"),
        ("mail", "rdkafka-ruby@0.19.0"),
    }
    assert [str(item) for reading in readings for item in reading.skipped] == []
