"""Kafka's message definitions, read from jars."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from probe.protocol.definitions import DefinitionsError, Jar, Versions, parse
from probe.protocol.digest import QUESTIONS
from probe.protocol.layout import Item, layout
from probe.protocol.names import API_NAMES
from probe.protocol.schemas import Schemas
from tests.support.protocol_wire import schemas

MESSAGE = """
// a licence
{
  "apiKey": 1, "type": "request", "name": "FetchRequest", "listeners": ["broker"],
  // Version 1 adds a thing, see https://example.invalid/
  "validVersions": "0-2", "flexibleVersions": "2+", %s
  "fields": [ { "name": "Things", "type": "[]Thing", "versions": "1+", "fields": [
    { "name": "Name", "type": "string", "versions": "1+", "nullableVersions": "2+", "about": "see // this" } ] },
    { "name": "More", "type": "Thing", "versions": "2+", "taggedVersions": "2+", "tag": 0 } ]
}
"""


def jar(path: Path, **messages: str) -> Path:
    with zipfile.ZipFile(path, "w") as out:
        for name, text in messages.items():
            out.writestr(f"common/message/{name}.json", text)
    return path


def test_version_ranges_parse_in_all_notations() -> None:
    assert [Versions.parse(text) for text in ("3", "0-7", "none")] == [Versions(3, 3), Versions(0, 7), Versions(0, -1)]
    assert 900 in Versions.parse("4+")
    assert 3 not in Versions.parse("4+")


def test_a_layout_has_the_fields_of_its_version() -> None:
    message = parse(MESSAGE % "")
    names = [[item.name for item in layout(message, version).items] for version in range(3)]
    assert names == [[], ["Things"], ["Things", "More"]]
    last = layout(message, 2)
    assert (last.flexible, last.items[1].tag, last.items[0].items[0].nullable) == (True, 0, True)
    assert last.items[1].items == last.items[0].items  # the name of a struct is valid in the whole message


def test_ranges_omit_unstable_versions_and_other_listeners(tmp_path: Path) -> None:
    final, unstable = MESSAGE % "", MESSAGE % '"latestVersionUnstable": true,'
    assert Jar(jar(tmp_path / "a.jar", FetchRequest=final)).ranges() == {1: (0, 2)}
    assert Jar(jar(tmp_path / "b.jar", FetchRequest=unstable)).ranges() == {1: (0, 1)}
    assert Jar(jar(tmp_path / "c.jar", FetchRequest=final)).ranges("controller") == {}


def test_ranges_of_real_releases() -> None:
    old, new = (jar.ranges() for jar in schemas().jars)
    assert (old[0], old[1], old[3]) == ((0, 11), (0, 17), (0, 12))
    assert (new[0], new[1], new[3]) == ((3, 13), (4, 18), (0, 13))
    assert 4 not in new  # LeaderAndIsr: between brokers, removed with ZooKeeper
    assert 52 not in new  # Vote: listener of the controller
    assert new[22] == (0, 5)  # InitProducerId 6 is not final in this jar


CHANGED = {63, 87}
"""BrokerHeartbeat 1 and ReadShareGroupStateSummary 0: sent between brokers, changed after 3.9."""


RENAMED = {28}
"""TxnOffsetCommit: a field that no digest reads was renamed."""


def shape(items: tuple[Item, ...]) -> list[object]:
    """Return the encoding without names: 4.x renamed fields of messages between controllers."""
    return [(item.type, item.array, item.nullable, item.tag, shape(item.items)) for item in items]


def test_both_jars_agree_on_common_versions() -> None:
    compared = 0
    old, new = schemas().jars
    for api in API_NAMES:
        for kind in ("Request", "Response"):
            pair = (old.message(api, kind), new.message(api, kind))
            if pair[0] is None or pair[1] is None:
                continue
            for version in range(max(pair[0].final.low, pair[1].final.low), pair[0].final.high + 1):
                if version in pair[1].final:
                    first, second = layout(pair[0], version), layout(pair[1], version)
                    assert shape(first.items) == shape(second.items) or api in CHANGED, (api, version, kind)
                    assert first == second or api not in QUESTIONS or api in RENAMED, (api, version, kind)
                    compared += 1
    assert compared > 400


def test_every_message_of_the_jars_is_found_by_its_api_key() -> None:
    for found in schemas().jars:
        for kind in ("Request", "Response"):
            assert [found.message(message.api, kind) for message in found.messages(kind)] == found.messages(kind)


def test_each_version_comes_from_the_jar_that_has_it() -> None:
    known = {(api, version) for api, version, kind in schemas().pairs() if kind == "Request"}
    assert {(0, 0), (0, 13), (1, 0), (1, 18), (7, 0), (68, 1)} <= known
    assert schemas().request(0, 99) is None
    assert schemas().response(999, 0) is None


def test_header_versions_follow_the_definition() -> None:
    request, response = schemas().request, schemas().response
    headers = [spec.header for spec in (request(7, 0), request(0, 8), request(0, 9), request(18, 3)) if spec]
    assert headers == [0, 1, 2, 2]
    assert [spec.header for spec in (response(0, 8), response(0, 9), response(18, 3)) if spec] == [0, 1, 0]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a jar", b"<html>not found</html>"])
def test_a_broken_jar_is_an_error_of_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "kafka-clients-9.9.9.jar"
    path.write_bytes(content)
    with pytest.raises(DefinitionsError, match=r"kafka-clients-9\.9\.9\.jar.*set-up") as refused:
        Schemas([path]).request(0, 3)
    assert "\n" not in str(refused.value)


def test_a_jar_without_definitions_names_usable_ones(tmp_path: Path) -> None:
    with pytest.raises(DefinitionsError, match=r"2\.3 or newer"):
        Jar(jar(tmp_path / "kafka-clients-1.1.1.jar")).ranges()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"apiKey": 1}', MESSAGE.replace("[]Thing", "[")])
def test_a_broken_definition_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(DefinitionsError, match=r"FetchRequest of x\.jar"):
        Jar(jar(tmp_path / "x.jar", FetchRequest=text)).message(1, "Request")
