"""Names of clients in sheets and selectors: which client they mean, and which hint a mistyped one gets."""

from __future__ import annotations

import pytest

from probe.catalogue.apps import find_app
from probe.catalogue.families import CatalogueError
from probe.catalogue.name_hints import client_hint
from probe.catalogue.package_table import package_table
from probe.cli.wiring.catalogue import apps, families
from probe.model.hints import letters_between
from tests.support.inventories import only, read


def of_sheet(client: str, version: str) -> tuple[str, str]:
    found = only(read(f'client,version\n"{client}",{version}\n', "sheet.csv"))
    return found.selector, found.unknown


@pytest.mark.parametrize(
    ("client", "version", "selector"),
    [
        ("segmentio/kafka-go", "0.4.47", "kafka-go@0.4.47"),
        ("IBM/sarama", "v1.43.2", "sarama@1.43.2"),
        ("Confluent.Kafka", "1.9.3", "confluent-kafka-dotnet@1.9.3"),
        ("confluent.kafka", "2.3.0", "confluent-kafka@2.3.0"),
        ("confluent-kafka", "2.3.0", "confluent-kafka@2.3.0"),
        ("Kafka_Python", "2.0.2", "kafka-python@2.0.2"),
        ("rdkafka-ruby", "0.15.0", "rdkafka-ruby@0.15.0"),
    ],
)
def test_a_name_is_the_package_that_is_spelled_like_it(client: str, version: str, selector: str) -> None:
    assert of_sheet(client, version) == (selector, "")


def test_a_net_client_that_changed_nothing_has_the_library_of_the_release_before() -> None:
    app = apps()["confluent-kafka-dotnet"]
    assert (app.inside("1.9.3").library, app.inside("2.3.0").library) == ("1.9.2", "2.3.0")
    assert app.find("1.9.1") is None


def test_a_known_client_that_nobody_measured_is_no_mistyped_one() -> None:
    for name in ("pykafka", "ruby-kafka", "brod"):
        assert of_sheet(name, "2.8.0") == ("", "no client of this name is measured here")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("pykafka", ""),
        ("kafkjs", "kafkajs"),
        ("samara", "sarama"),
        ("franzgo", "franz-go"),
        ("jav", "java"),
        ("karafka", ""),
    ],
)
def test_a_hint_is_at_most_two_letters_away(name: str, hint: str) -> None:
    with pytest.raises(CatalogueError) as error:
        find_app(apps(), families(), name)
    assert (f"did you mean {hint}?" in str(error.value)) == bool(hint)
    assert ("known are aiokafka" in str(error.value)) == (not hint)


def test_no_package_of_another_language_is_a_hint() -> None:
    known = [*families(), *apps()]
    wrong = {
        name: hint
        for row in package_table().packages
        if not row.client
        for name in row.names
        if "did you mean" in (hint := client_hint(name, known))
    }
    assert wrong == {}


def test_letters_are_counted() -> None:
    found = [letters_between("sarama", other) for other in ("sarama", "sarma", "asrama", "sbrama", "saramas", "")]
    assert found == [0, 1, 1, 1, 1, 6]
