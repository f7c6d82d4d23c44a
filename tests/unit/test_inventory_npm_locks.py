"""Lock files of npm's other package managers, Yarn and pnpm."""

from __future__ import annotations

import pytest

from tests.support.inventories import only, read

YARN_1 = "# yarn lockfile v1\n\n\n"
YARN_4 = '__metadata:\n  version: 8\n\n"@shop/orders@workspace:.":\n  resolution: "@shop/orders@workspace:."\n\n'


class TestYarnLock:
    @pytest.mark.parametrize(
        ("entry", "why"),
        [
            ('"kafkajs@>=2.0.0 <3.0.0", kafkajs@^2.2.0:\n  version "2.2.4"\n', ""),
            (
                '"kafkajs@git+ssh://git@git.example/secret.git":\n  version "2.2.4"\n'
                '  resolved "git+ssh://git@git.example/secret.git#0123456789abcdef0123456789abcdef01234567"\n',
                "it comes from commit 0123456789ab, no release; its own source says 2.2.4",
            ),
            (
                'kafkajs@tulios/kafkajs:\n  version "2.2.4"\n  resolved "https://codeload.github.com/secret"\n',
                "it comes from a commit, no release; its own source says 2.2.4",
            ),
            (
                '"kafkajs@https://u:secret@npm.example/k.tgz":\n  version "2.2.4"\n',
                "it comes from an address, which need not serve a release; its own source says 2.2.4",
            ),
            (
                '"kafkajs@file:../secret.tgz":\n  version "2.2.4"\n',
                "it comes from a file, which need not be a release; its own source says 2.2.4",
            ),
        ],
    )
    def test_yarn_1_says_where_a_package_comes_from(self, entry: str, why: str) -> None:
        reading = read(YARN_1 + entry)
        assert (only(reading).version, only(reading).unknown) == ("" if why else "2.2.4", why)
        assert (str(only(reading).place), "secret" in repr(reading)) == ("-, line 4", False)

    @pytest.mark.parametrize(
        ("resolution", "why"),
        [
            ("kafkajs@npm:2.2.4", ""),
            ("kafkajs@npm:2.2.4::__archiveUrl=https%3A%2F%2Fu%3Asecret%40npm.example%2Fk.tgz", ""),
            (
                "kafkajs@https://git.example/secret.git#commit=0123456789abcdef0123456789abcdef01234567",
                "it comes from commit 0123456789ab, no release; its own source says 2.2.4",
            ),
            (
                "kafkajs@patch:kafkajs@npm%3A2.2.4#~/.yarn/patches/secret.patch",
                "it comes from a release that the project patches; its own source says 2.2.4",
            ),
            ("kafkajs@portal:../secret::locator=x", "it comes from a folder, no release; its own source says 2.2.4"),
        ],
    )
    def test_later_yarns_name_the_package_by_its_resolution(self, resolution: str, why: str) -> None:
        reading = read(f'{YARN_4}"k@npm:x":\n  version: 2.2.4\n  resolution: "{resolution}"\n')
        assert (only(reading).version, only(reading).unknown) == ("" if why else "2.2.4", why)
        assert (only(reading).service, "secret" in repr(reading)) == ("@shop/orders", False)

    def test_packages_of_the_project_itself_are_no_clients(self) -> None:
        entry = '"kafka-x@workspace:x/kafka":\n  version: 0.0.0\n  resolution: "kafka-x@workspace:x/kafka"\n'
        assert (read(YARN_4 + entry).found, read(YARN_4 + entry).skipped) == ((), ())

    @pytest.mark.parametrize("damage", ["<<<<<<< HEAD\n", "kafkajs@^2.2", '{"a": 1}\n'])
    def test_a_damaged_file_is_one_line(self, damage: str) -> None:
        for text in (YARN_1, YARN_4):
            number = text.count("\n") + 3
            problem = read(f'{text}kafkajs@^2.2.0:\n  version "2.2.4"\n{damage}').problem
            assert problem == f"line {number}: no entry of a yarn.lock begins like this; correct the file"


class TestPnpmLock:
    @pytest.mark.parametrize(
        ("version", "key"),
        [
            ("'9.0'", "kafkajs@2.2.4"),
            ("'9.0'", "'kafkajs@2.2.4'"),
            ("'6.0'", "/kafkajs@2.2.4"),
            ("'6.0'", "/kafkajs@2.2.4(peer@1.0.0)"),
            ("'6.0'", "npm.example/kafkajs@2.2.4"),
            ("5.4", "/kafkajs/2.2.4"),
            ("5.4", "/kafkajs/2.2.4_peer@1.0.0"),
            ("5.4", "npm.example/kafkajs/2.2.4"),
        ],
    )
    def test_each_version_of_the_file_names_a_package_in_its_way(self, version: str, key: str) -> None:
        found = only(read(f"lockfileVersion: {version}\n\npackages:\n\n  {key}:\n    resolution: {{integrity: x}}\n"))
        assert (found.selector, found.package, str(found.place)) == ("kafkajs@2.2.4", "kafkajs", "-, line 5")

    def test_a_scope_belongs_to_the_name(self) -> None:
        for key in ("'@confluentinc/kafka-javascript@1.4.0'", "/@confluentinc/kafka-javascript/1.4.0"):
            found = only(read(f"lockfileVersion: 5.4\npackages:\n  {key}:\n    dev: false\n"))
            assert found.selector == "confluent-kafka-javascript@1.4.0"

    @pytest.mark.parametrize(
        ("key", "why"),
        [
            ("kafkajs@https://codeload.github.com/secret/kafkajs/tar.gz/0123456", "it comes from a commit, no release"),
            ("kafkajs@https://u:secret@npm.example/k.tgz", "it comes from an address, which need not serve a release"),
            ("kafkajs@file:../secret", "it comes from a file, which need not be a release"),
            ("github.com/secret/kafkajs/0123456", "it comes from a commit, no release"),
        ],
    )
    def test_a_package_from_elsewhere_is_no_release(self, key: str, why: str) -> None:
        reading = read(f"lockfileVersion: '9.0'\npackages:\n  {key}:\n    name: kafkajs\n    version: 2.2.4\n")
        assert (only(reading).selector, only(reading).unknown) == ("", f"{why}; its own source says 2.2.4")
        assert "secret" not in repr(reading)
        other = read(f"lockfileVersion: '9.0'\npackages:\n  {key}:\n    version: 1.0.0\n".replace("kafkajs", "kafka-x"))
        assert "secret" not in repr(other)

    def test_what_only_development_needs_is_skipped(self) -> None:
        text = (
            "lockfileVersion: '9.0'\nimporters:\n  .:\n    devDependencies:\n      kafkajs:\n        specifier: ^2\n"
            "        version: 2.2.4(peer@1.0.0)\n      k:\n        specifier: npm:node-rdkafka@3.6.1\n"
            "        version: node-rdkafka@3.6.1\n    dependencies:\n      a:\n        specifier: '1'\n"
            "        version: 1.0.0\npackages:\n  kafkajs@2.2.4:\n    x: y\n  node-rdkafka@3.6.1:\n    x: y\n"
            "snapshots:\n  a@1.0.0:\n    dependencies:\n      b: 1.0.0\n"
        )
        reading = read(text)
        assert [str(item) for item in reading.skipped] == [
            "kafkajs 2.2.4: only for development (dev)",
            "node-rdkafka 3.6.1: only for development (dev)",
        ]
        needed = read(text.replace("b: 1.0.0", "kafkajs: 2.2.4(peer@1.0.0)"))
        assert [item.selector for item in needed.found] == ["kafkajs@2.2.4"]
        old = read("lockfileVersion: 5.4\npackages:\n  /kafkajs/2.2.4:\n    dev: true\n")
        assert (old.found, str(old.skipped[0])) == ((), "kafkajs 2.2.4: only for development (dev)")

    @pytest.mark.parametrize("damage", ["<<<<<<< HEAD\n", "packa", "\tx: y\n", '{"a": 1}\n'])
    def test_a_damaged_file_is_one_line(self, damage: str) -> None:
        problem = read(f"lockfileVersion: '9.0'\npackages:\n  kafkajs@2.2.4:\n{damage}").problem
        assert problem == "line 4: no part of a pnpm-lock.yaml begins like this; correct the file"

    @pytest.mark.parametrize("key", ["kafkajs@2.2.4", "kafkajs"])
    def test_a_release_that_the_project_patches_is_no_release(self, key: str) -> None:
        text = f"lockfileVersion: '9.0'\npatchedDependencies:\n  {key}: 0123\npackages:\n  kafkajs@2.2.4:\n    x: y\n"
        found = only(read(text))
        assert found.unknown == "it comes from a release that the project patches; its own source says 2.2.4"

    def test_an_old_file_is_known_by_its_name(self) -> None:
        text = "dependencies:\n  kafkajs: 2.2.4\npackages:\n  /kafkajs/2.2.4:\n    dev: false\nlockfileVersion: 5.1\n"
        assert only(read(text, "pnpm-lock.yaml")).selector == "kafkajs@2.2.4"


def test_an_address_is_not_shown_of_a_package_that_is_skipped() -> None:
    text = '{"lockfileVersion": 1, "dependencies": {"kafka-x": {"version": "git+https://u:secret@git.example/k.git"}}}'
    reading = read(text)
    assert (len(reading.skipped), "secret" in repr(reading)) == (1, False)
