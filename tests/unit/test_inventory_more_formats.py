"""The second list of formats, in files that the real tools wrote, and what those files do not show."""

from __future__ import annotations

import pytest

from tests.support.inventories import SAMPLES, only, read, read_file, shown

READ = {
    "mvn-dependency-tree-3.11.0.txt": ("mvn dependency:tree", [("orders", "java@4.3.1", "")]),
}
"""Name of the sample, its format, and service, client and why it is not known."""


@pytest.mark.parametrize("name", READ)
def test_files_of_real_tools_are_read(name: str) -> None:
    reading = read_file(SAMPLES / name)
    assert (reading.taken_for, shown(reading), reading.problem) == (*READ[name], "")


@pytest.mark.parametrize("name", READ)
def test_a_format_is_recognised_by_its_content_and_not_by_its_name(name: str) -> None:
    data = (SAMPLES / name).read_bytes()
    assert read(data, "-").taken_for == READ[name][0]
    assert read(data, "any.thing").taken_for == READ[name][0]


def test_a_tree_of_maven_has_modules_scopes_and_what_was_left_out_for_another_version() -> None:
    text = (
        "[INFO] --- dependency:3.6.1:tree (default-cli) @ orders ---\n"
        "[INFO] shop:orders:jar:1.0.0\n"
        "[INFO] +- org.springframework.kafka:spring-kafka:jar:3.3.6:compile\n"
        "[INFO] |  \\- org.apache.kafka:kafka-clients:jar:3.9.1:compile (version managed from 3.8.0)\n"
        "[INFO] +- shop:other:jar:1.0.0:compile\n"
        "[INFO] |  \\- (org.apache.kafka:kafka-clients:jar:2.0.0:compile - omitted for conflict with 3.9.1)\n"
        "[INFO] \\- org.apache.kafka:kafka-streams:jar:3.9.1:test\n"
        "[INFO] \n"
        "[INFO] shop:billing:war:1.0.0\n"
        "[INFO] \\- org.apache.kafka:kafka-clients:jar:3.9.2:runtime (optional)\n"
    )
    reading = read(text)
    assert shown(reading) == [("orders", "java@3.9.1", ""), ("billing", "java@3.9.2", "")]
    assert [str(item) for item in reading.skipped] == [
        "org.apache.kafka:kafka-streams 3.9.1: only for tests (scope test)",
        "org.springframework.kafka:spring-kafka 3.3.6: java@3.9.1 inside it is listed itself",
    ]
