"""Bills of materials in SPDX 2, as JSON and as tags and values."""

from __future__ import annotations

import json

import pytest

from tests.support.inventories import read, shown

SPDX = {
    "spdxVersion": "SPDX-2.3",
    "SPDXID": "SPDXRef-DOCUMENT",
    "packages": [
        {"name": "orders", "SPDXID": "SPDXRef-orders", "versionInfo": "1.0.0"},
        {
            "name": "kafkajs",
            "SPDXID": "SPDXRef-kafkajs",
            "versionInfo": "2.2.4",
            "externalRefs": [
                {"referenceCategory": "SECURITY", "referenceType": "cpe23Type", "referenceLocator": "cpe:2.3:kafkajs"},
                {"referenceType": "purl", "referenceLocator": "pkg:npm/kafkajs@2.2.4"},
            ],
        },
        {"name": "github.com/IBM/sarama", "SPDXID": "SPDXRef-sarama", "versionInfo": "v1.43.2"},
        {"name": "kafka-x", "externalRefs": [{"referenceType": "purl", "referenceLocator": "no package URL of kafka"}]},
        None,
        {"name": ["kafka"], "externalRefs": {"kafka": 1}},
    ],
    "relationships": [
        {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-orders"},
        {"spdxElementId": 1},
    ],
}
TAGS = """SPDXVersion: SPDX-2.3
SPDXID: SPDXRef-DOCUMENT
DocumentName: orders
# a comment
PackageName: orders
SPDXID: SPDXRef-orders
PackageVersion: 1.0.0
PackageComment: <text>two lines, one of which looks like a tag
PackageName: kafka-python
</text>
PackageName: kafkajs
SPDXID: SPDXRef-kafkajs
PackageVersion: 2.2.4
ExternalRef: SECURITY cpe23Type cpe:2.3:kafkajs
ExternalRef: PACKAGE-MANAGER purl pkg:npm/kafkajs@2.2.4
FileName: ./kafka.js
SPDXID: SPDXRef-File
PackageName: github.com/IBM/sarama
SPDXID: SPDXRef-sarama
PackageVersion: v1.43.2
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-orders
"""


class TestSpdx:
    @pytest.mark.parametrize("wrapped", [False, True])
    def test_json_names_packages_by_their_urls_or_names(self, wrapped: bool) -> None:
        reading = read(json.dumps({"sbom": SPDX} if wrapped else SPDX))
        assert (reading.taken_for, shown(reading)) == (
            "SPDX",
            [("orders", "kafkajs@2.2.4", ""), ("orders", "sarama@1.43.2", "")],
        )
        assert [str(item) for item in reading.skipped] == ["-, package kafka-x: its purl is no package URL"]

    def test_what_the_document_describes_may_stand_in_a_list_of_its_own(self) -> None:
        data = {**SPDX, "relationships": [], "documentDescribes": ["SPDXRef-orders", 7, None]}
        assert {item.service for item in read(json.dumps(data)).found} == {"orders"}
        for odd in (7, {"a": 1}, "SPDXRef-orders"):
            assert {item.service for item in read(json.dumps({**data, "documentDescribes": odd})).found} == {""}

    def test_tags_and_values_say_the_same_with_lines(self) -> None:
        reading = read(TAGS)
        assert (reading.taken_for, shown(reading)) == (
            "SPDX (tags and values)",
            [("orders", "kafkajs@2.2.4", ""), ("orders", "sarama@1.43.2", "")],
        )
        assert [str(item.place) for item in reading.found] == ["-, line 11", "-, line 18"]
        assert reading.skipped == ()

    @pytest.mark.parametrize(
        ("relations", "why"),
        [
            (["SPDXRef-kafkajs DEV_DEPENDENCY_OF SPDXRef-orders"], "only for development (DEV_DEPENDENCY_OF)"),
            (["SPDXRef-kafkajs TEST_DEPENDENCY_OF SPDXRef-orders"], "only for tests (TEST_DEPENDENCY_OF)"),
            (["SPDXRef-kafkajs DEV_DEPENDENCY_OF SPDXRef-a", "SPDXRef-kafkajs DEPENDENCY_OF SPDXRef-b"], ""),
            (["SPDXRef-kafkajs DEV_DEPENDENCY_OF SPDXRef-a", "SPDXRef-b DEPENDS_ON SPDXRef-kafkajs"], ""),
            (["SPDXRef-orders DEV_DEPENDENCY_OF SPDXRef-kafkajs"], ""),
        ],
    )
    def test_what_only_development_or_tests_need_is_skipped(self, relations: list[str], why: str) -> None:
        keys = ("spdxElementId", "relationshipType", "relatedSpdxElement")
        rows = [dict(zip(keys, one.split(), strict=True)) for one in relations]
        tagged = TAGS + "".join(f"Relationship: {one}\n" for one in relations)
        for reading in (read(json.dumps({**SPDX, "relationships": rows})), read(tagged)):
            found = [item.selector for item in reading.found]
            assert ("kafkajs@2.2.4" in found) == (not why)
            assert (f"kafkajs 2.2.4: {why}" in map(str, reading.skipped)) == bool(why)
