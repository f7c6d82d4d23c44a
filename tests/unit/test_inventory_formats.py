"""Each format of an inventory, in files that the real tools wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.inventory.formats import FORMATS
from tests.support.inventories import SAMPLES, only, read, read_file, shown
from tests.support.inventory_samples import READ


@pytest.mark.parametrize("name", READ)
def test_files_of_real_tools_are_read(name: str) -> None:
    reading = read_file(SAMPLES / name)
    assert (reading.taken_for, shown(reading), reading.problem) == (*READ[name], "")


@pytest.mark.parametrize("name", READ)
def test_a_format_is_recognised_by_its_content_and_not_by_its_name(name: str) -> None:
    data = (SAMPLES / name).read_bytes()
    assert read(data, "-").taken_for == READ[name][0]
    assert read(data, "any.thing").taken_for == READ[name][0]


def test_every_format_has_a_reader_and_a_title_of_its_own() -> None:
    assert len({item.title for item in FORMATS}) == len(FORMATS)
    for item in FORMATS:
        assert (Path("probe/inventory/readers") / f"{item.reader}.py").is_file()


class TestGoMod:
    HEAD = "module example.org/shop/orders // the shop\n\ngo 1.24\n\n"

    def test_required_modules_are_read_in_blocks_and_alone(self) -> None:
        text = (
            f"{self.HEAD}require github.com/twmb/franz-go v1.22.3\n\nrequire (\n"
            '\t"github.com/IBM/sarama" v1.43.2 // indirect\n\tgithub.com/eapache/queue v1.1.0\n)\n'
        )
        assert shown(read(text)) == [
            ("example.org/shop/orders", "franz-go@1.22.3", ""),
            ("example.org/shop/orders", "sarama@1.43.2", ""),
        ]
        assert [str(item.place) for item in read(text).found] == ["-, line 5", "-, line 8"]

    def test_a_replaced_module_counts_as_its_replacement(self) -> None:
        text = f"{self.HEAD}require github.com/Shopify/sarama v1.29.1\nreplace github.com/Shopify/sarama => "
        assert only(read(f"{text}github.com/IBM/sarama v1.43.3\n")).selector == "sarama@1.43.3"
        fork = only(read(f"{text}github.com/elastic/sarama v1.19.1-0.20220310193331-ebc2b0d8eef3\n"))
        assert (fork.selector, fork.package) == ("", "github.com/elastic/sarama")
        assert "it replaces github.com/Shopify/sarama, and a fork is not its origin's version" in fork.unknown
        assert "this folder replaces" in only(read(f"{text}../sarama\n")).unknown

    def test_a_replacement_of_another_version_does_not_count(self) -> None:
        text = (
            f"{self.HEAD}require github.com/IBM/sarama v1.43.2\n"
            "replace (\n\tgithub.com/IBM/sarama v1.40.0 => github.com/IBM/sarama v1.61.1\n)\n"
        )
        assert only(read(text)).selector == "sarama@1.43.2"

    def test_a_pseudo_version_names_no_release(self) -> None:
        for version in ("v1.43.4-0.20240912103434-0123456789ab", "v0.0.0-20240912103434-0123456789ab"):
            found = only(read(f"{self.HEAD}require github.com/IBM/sarama {version}\n"))
            assert found.selector == ""
            assert "pseudo-version" in found.unknown

    def test_before_go_1_17_the_version_is_the_least_one(self) -> None:
        text = "module a.example/b\n\ngo 1.16\n\nrequire github.com/Shopify/sarama v1.27.0\n"
        assert "before go 1.17" in only(read(text)).note

    def test_a_module_with_kafka_in_its_name_that_is_not_known_is_named(self) -> None:
        reading = read(f"{self.HEAD}require github.com/someone/kafka-client v1.0.0\n")
        assert [item.what for item in reading.skipped] == ["github.com/someone/kafka-client v1.0.0"]


def test_go_version_counts_a_replaced_module_as_its_replacement() -> None:
    text = (
        "shipper: go1.24.1\n\tpath\texample.org/shop/shipper\n\tmod\texample.org/shop/shipper\t(devel)\t\n"
        "\tdep\tgithub.com/Shopify/sarama\tv1.29.1\n\t=>\tgithub.com/IBM/sarama\tv1.43.3\th1:x=\n"
        "\tdep\tgithub.com/twmb/franz-go\tv1.18.0\n\t=>\t../franz-go\t(devel)\t\n"
    )
    sarama, franz = read(text).found
    assert (sarama.selector, sarama.note) == ("sarama@1.43.3", "in place of github.com/Shopify/sarama v1.29.1")
    assert (franz.selector, franz.unknown.startswith("this folder replaces")) == ("", True)


class TestRequirements:
    @pytest.mark.parametrize(
        ("line", "version", "why"),
        [
            ("kafka-python==2.0.2", "2.0.2", ""),
            ("Kafka_Python == 2.0.2  # pinned", "2.0.2", ""),
            ("kafka-python===2.0.2", "2.0.2", ""),
            ("kafka-python==2.0.2 --hash=sha256:00", "2.0.2", ""),
            ("kafka-python==2.0.2 \\\n    --hash=sha256:00 \\\n    --hash=sha256:01", "2.0.2", ""),
            ("kafka-python[crc32c]==2.0.2; python_version < '4'", "2.0.2", ""),
            ("kafka-python>=2,<3", "", "<3,>=2 is a range, which names no release"),
            ("kafka-python==2.*", "", "2.* is a range, which names no release"),
            ("kafka-python~=2.0", "", "~=2.0 is a range, which names no release"),
            ("kafka-python", "", "any release is allowed"),
            ("kafka-python==3.1.0.dev0", "", "3.1.0.dev0 is a version between releases"),
            ("kafka-python==2.0.2+local", "", "2.0.2+local is a version between releases"),
        ],
    )
    def test_only_one_pinned_version_is_a_version(self, line: str, version: str, why: str) -> None:
        found = only(
            read(f"# of the shop\n-i https://index.example/simple\nrequests==2.32.0\n{line}\n", "requirements.txt")
        )
        assert (found.client, found.version, found.unknown) == ("kafka-python", version, why)

    def test_addresses_are_not_shown(self) -> None:
        text = (
            "kafka-python @ git+https://user:secret@git.example/x\n-e git+https://t:secret@git.example/y#egg=aiokafka\n"
        )
        reading = read(text, "requirements.txt")
        assert [item.version for item in reading.found] == ["", ""]
        assert "secret" not in repr(reading)

    def test_kafka_python_beside_its_fork_is_broken(self) -> None:
        reading = read("kafka-python==3.0.12\nkafka-python-ng==2.2.3\n", "requirements.txt")
        assert [bool(item.broken) for item in reading.found] == [True, True]
        assert "install into the same folder" in reading.found[0].broken
        assert not only(read("kafka-python-ng==2.2.3\n", "requirements.txt")).broken

    def test_other_files_are_named(self) -> None:
        reading = read("-r base.txt\nkafka-python==2.0.2\n", "requirements.txt")
        assert [item.what for item in reading.skipped] == ["base.txt"]


def test_maven_lists_several_modules_with_colours_and_scopes() -> None:
    text = (
        "[INFO] --- maven-dependency-plugin:3.6.1:list (default-cli) @ orders ---\n[INFO] \n"
        "[INFO] The following files have been resolved:\n"
        "[INFO]    org.apache.kafka:kafka-clients:jar:3.9.1:compile -- module kafka.clients (auto)\n"
        "[INFO] --- maven-dependency-plugin:3.6.1:list (default-cli) @ billing ---\n"
        "[INFO]    org.apache.kafka:kafka-clients:jar:tests:3.9.2:runtime\n"
        "[INFO]    \x1b[1morg.apache.kafka:kafka-streams:jar:3.9.2:test\x1b[m\n"
    )
    reading = read(text)
    assert shown(reading) == [("orders", "java@3.9.1", ""), ("billing", "java@3.9.2", "")]
    assert [str(item) for item in reading.skipped] == [
        "org.apache.kafka:kafka-streams 3.9.2: only for tests (scope test)"
    ]


def test_a_gradle_lock_file_is_read_without_what_only_tests_need() -> None:
    text = (
        "# This is a Gradle generated file for dependency locking.\n# Manual edits can break the build.\n"
        "org.apache.kafka:kafka-clients:3.9.1=compileClasspath,runtimeClasspath,testCompileClasspath\n"
        "org.apache.kafka:kafka-streams:3.9.1=testCompileClasspath,testRuntimeClasspath\n"
        "org.apache.kafka:kafka-clients:7.6.0-ccs=integration\nempty=annotationProcessor\n"
        "org.apache.kafka:kafka-clients:1.1.1=latestClasspath\n"
    )
    reading = read(text)
    assert [item.shown for item in reading.found] == ["java@3.9.1", "org.apache.kafka:kafka-clients", "java@1.1.1"]
    assert "a build of others" in reading.found[1].unknown
    assert [item.what for item in reading.skipped] == ["org.apache.kafka:kafka-streams 3.9.1"]


def test_the_first_lock_files_of_npm_have_packages_inside_packages() -> None:
    text = """{"name": "orders", "lockfileVersion": 1, "dependencies": {
      "k": {"version": "npm:kafkajs@1.16.0"},
      "a": {"version": "1.0.0", "dependencies": {"node-rdkafka": {"version": "2.18.0"}}},
      "g": {"version": "1.0.0", "dev": true, "dependencies": {"kafkajs": {"version": "2.2.4", "dev": true}}},
      "kafkajs": {"version": "git+ssh://git@git.example/kafkajs.git#0123456", "from": "x"}}}"""
    reading = read(text)
    assert {item.shown for item in reading.found} == {"kafkajs@1.16.0", "node-rdkafka@2.18.0", "kafkajs"}
    assert [item.why for item in reading.skipped] == ["only for development (dev)"]
    assert "git.example" not in repr(reading)


def test_a_wrapper_beside_its_library_says_nothing_more() -> None:
    text = (
        '{"bomFormat": "CycloneDX", "metadata": {"component": {"name": "orders"}}, "components": ['
        '{"name": "spring-kafka", "purl": "pkg:maven/org.springframework.kafka/spring-kafka@3.3.6", "components": ['
        '{"name": "kafka-clients", "purl": "pkg:maven/org.apache.kafka/kafka-clients@3.9.1"}]},'
        '{"name": "sarama", "purl": "pkg:golang/github.com/ibm/sarama@v1.43.2?goos=linux"},'
        '{"name": "librdkafka1", "purl": "pkg:deb/debian/librdkafka1@2.0.2-1?arch=amd64"},'
        '{"name": "kafka", "purl": "no package URL of kafka"}]}'
    )
    reading = read(text)
    assert [item.shown for item in reading.found] == ["java@3.9.1", "sarama@1.43.2", "librdkafka@2.0.2"]
    assert {item.service for item in reading.found} == {"orders"}
    assert [item.why for item in reading.skipped] == [
        "its purl is no package URL",
        "java@3.9.1 inside it is listed itself",
    ]


LISTED_ITSELF = [
    ("github.com/IBM/sarama v1.43.3-0.20240701120000-abcdefabcdef", "", "a pseudo-version: a commit, no release"),
    ("github.com/IBM/sarama v1.43.3", "replace github.com/IBM/sarama => github.com/acme/sarama v1.43.3-a", "a fork is"),
    ("github.com/IBM/sarama v1.43.3", "replace github.com/IBM/sarama => ../sarama", "this folder replaces"),
]


@pytest.mark.parametrize(("required", "replaced", "why"), LISTED_ITSELF)
def test_a_wrapper_says_nothing_of_a_library_in_a_version_that_is_no_release(
    required: str, replaced: str, why: str
) -> None:
    wrapper = "github.com/ThreeDotsLabs/watermill-kafka/v3 v3.1.0"
    text = f"module shop.example/orders\n\ngo 1.22\n\nrequire (\n\t{wrapper}\n\t{required}\n)\n\n{replaced}\n"
    reading = read(text, "go.mod")
    assert why in only(reading).unknown
    assert "inside it is listed itself" in reading.skipped[0].why


@pytest.mark.parametrize(
    "text",
    [
        "Service;Client Library;Library Version;Instances\norders;sarama;1.43.2;3\n",
        "service\tlibrary\tversion\tcount\norders\tgithub.com/IBM/sarama\tv1.43.2\t3\n",
        'component|package|version|replicas\n"orders"|sarama|1.43.2|3\n',
        "application,client,version,number\norders,sarama@v1.43.2,,3\n",
        "\ufeffhost,kafka_client,client_version,connections\norders,sarama,v1.43.2,3\n",
    ],
)
def test_sheets_have_any_delimiter_and_common_headers(text: str) -> None:
    found = only(read(text, "sheet.csv"))
    assert (found.service, found.selector, found.count) == ("orders", "sarama@1.43.2", 3)


def test_names_are_known_in_capitals_and_without_the_group_of_maven() -> None:
    found = read("client,version\nSarama,1.43.2\nkafka-clients,3.9.2\nkafka-clients,7.6.0-ccs\n", "a.csv").found
    assert [item.selector for item in found] == ["sarama@1.43.2", "java@3.9.2", ""]


def test_a_release_of_go_may_stand_without_its_v() -> None:
    assert only(read("client,version\ngithub.com/IBM/sarama,1.43.2\n", "a.csv")).selector == "sarama@1.43.2"
    purl = '"purl": "pkg:golang/github.com/IBM/sarama@1.43.2"'
    bill = '{"bomFormat": "CycloneDX", "components": [{"name": "sarama", %s}]}' % purl  # noqa: UP031  # JSON has braces
    assert only(read(bill)).selector == "sarama@1.43.2"
    assert "pseudo-version" in only(read(bill.replace("1.43.2", "1.43.3-0.20240701120000-abcdefabcdef"))).unknown


@pytest.mark.parametrize(
    "text",
    [
        "host;version;service;library;library version\nh1;2.3.0;orders;sarama;1.43.2\n",
        "version;service;client\n2.3.0;orders;sarama@1.43.2\n",
    ],
)
def test_a_column_for_the_version_of_a_service_is_not_that_of_its_client(text: str) -> None:
    found = only(read(text, "sheet.csv"))
    assert (found.service, found.selector) == ("orders", "sarama@1.43.2")


def test_a_sheet_of_a_spreadsheet_in_utf_16_is_read() -> None:
    assert only(read("client,version\nsarama,1.43.2\n".encode("utf-16"), "sheet.csv")).selector == "sarama@1.43.2"
