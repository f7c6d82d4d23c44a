"""pom.xml with properties, managed versions and parents inside the walked folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.inventory.entries import FileContent
from probe.inventory.inventory_reader import read_inventories
from tests.support.inventories import only, read

KAFKA = "<groupId>org.apache.kafka</groupId><artifactId>kafka-clients</artifactId>"
SPRING = "<groupId>org.springframework.kafka</groupId><artifactId>spring-kafka</artifactId>"


def pom(inside: str, name: str = "orders") -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<project xmlns="http://maven.apache.org/POM/4.0.0">'
        f"<modelVersion>4.0.0</modelVersion><artifactId>{name}</artifactId>{inside}</project>"
    )


def wants(coordinates: str) -> str:
    return f"<dependencies><dependency>{coordinates}</dependency></dependencies>"


def folder(tmp_path: Path, **files: str) -> list[FileContent]:
    for name, text in files.items():
        file = tmp_path / name.replace("__", "/") / "pom.xml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return list(read_inventories([str(tmp_path)]))


def test_a_version_is_read_with_its_properties() -> None:
    text = pom(
        "<properties><a>${b}</a><b>3.9.1</b></properties>" + wants(f"{KAFKA}<version>${{a}}</version><!-- no -->")
    )
    found = only(read(text))
    assert (found.service, found.selector) == ("orders", "java@3.9.1")


def test_properties_that_name_each_other_end() -> None:
    text = pom("<properties><a>${b}${b}</a><b>${a}${a}</b></properties>" + wants(f"{KAFKA}<version>${{a}}</version>"))
    assert only(read(text)).selector == ""


def test_a_property_that_a_profile_changes_names_no_release() -> None:
    def text(value: str) -> str:
        profile = f"<profiles><profile><properties><a>{value}</a></properties></profile></profiles>"
        return pom(f"<properties><a>3.9.1</a></properties>{profile}" + wants(f"{KAFKA}<version>${{a}}</version>"))

    assert only(read(text("3.9.1"))).selector == "java@3.9.1"
    assert "${a} is filled in by the build" in only(read(text("1.1.1"))).unknown


def test_ranges_snapshots_and_builds_of_others_name_no_release() -> None:
    for version in ("[3.0,4.0)", "LATEST", "4.4.0-SNAPSHOT", "7.6.0-ccs", "3.9.1.redhat-00003", "${kafka.version}"):
        found = only(read(pom(wants(f"{KAFKA}<version>{version}</version>"))))
        assert (found.selector, found.client, bool(found.unknown)) == ("", "java", True), version


def test_parents_inside_the_folder_give_properties_and_managed_versions(tmp_path: Path) -> None:
    managed = f"<dependencyManagement>{wants(f'{KAFKA}<version>${{kafka}}</version>')}</dependencyManagement>"
    parent = "<groupId>shop</groupId><version>1</version><properties><kafka>3.9.1</kafka></properties>"
    child = "<parent><groupId>shop</groupId><artifactId>all</artifactId><version>1</version></parent>"
    readings = folder(
        tmp_path, all=pom(""), top=pom(""), **{".": pom(parent + managed, "all")}, orders=pom(child + wants(KAFKA))
    )
    assert [item.selector for reading in readings for item in reading.found] == ["java@3.9.1"]


def test_the_nearest_pom_decides(tmp_path: Path) -> None:
    child = "<parent><groupId>shop</groupId><artifactId>all</artifactId><version>1</version></parent>"
    own = f"<properties><kafka>3.9.2</kafka></properties>{wants(f'{KAFKA}<version>${{kafka}}</version>')}"
    parent = "<properties><kafka>3.9.1</kafka></properties>"
    readings = folder(tmp_path, **{".": pom(parent, "all")}, orders=pom(child + own))
    assert [item.selector for reading in readings for item in reading.found] == ["java@3.9.2"]


def test_a_parent_outside_of_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text(pom("<properties><kafka>3.9.1</kafka></properties>", "all"))
    child = "<parent><groupId>shop</groupId><artifactId>all</artifactId><version>1</version></parent>"
    inner = tmp_path / "inner"
    for path in ("../pom.xml", "../../../../../../etc/passwd", str(tmp_path / "pom.xml")):
        text = child.replace("</parent>", f"<relativePath>{path}</relativePath></parent>")
        readings = folder(inner, **{".": pom(text + wants(f"{KAFKA}<version>${{kafka}}</version>"))})
        assert [item.selector for reading in readings for item in reading.found] == [""]
    named = list(read_inventories([str(inner / "pom.xml")]))
    assert [item.selector for reading in named for item in reading.found] == [""]


def test_parents_that_name_each_other_end(tmp_path: Path) -> None:
    one = "<parent><groupId>s</groupId><artifactId>two</artifactId><relativePath>../two</relativePath></parent>"
    two = one.replace("two", "one")
    readings = folder(tmp_path, one=pom(one + wants(KAFKA), "one"), two=pom(two, "two"))
    (found,) = [item for reading in readings for item in reading.found]
    assert "decides, which is not in the folder" in found.unknown


def test_spring_boot_decides_what_the_pom_leaves_open() -> None:
    boot = (
        "<groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId>"
        "<version>3.5.0</version>"
    )
    found = only(read(pom(f"<parent>{boot}<relativePath/></parent>{wants(SPRING)}")))
    assert (found.selector, found.note) == (
        "spring-boot@3.5.0",
        "org.springframework.boot:spring-boot-starter-parent 3.5.0 decides its version",
    )
    own = "<properties><kafka.version>3.9.2</kafka.version></properties>"
    assert only(read(pom(f"<parent>{boot}</parent>{own}{wants(SPRING)}"))).selector == "java@3.9.2"


def test_an_imported_bill_of_materials_is_not_overridden_by_a_property() -> None:
    bom = (
        "<groupId>org.springframework.boot</groupId><artifactId>spring-boot-dependencies</artifactId>"
        "<version>3.5.0</version><type>pom</type><scope>import</scope>"
    )
    own = "<properties><kafka.version>3.9.2</kafka.version></properties>"
    text = pom(f"{own}<dependencyManagement>{wants(bom)}</dependencyManagement>{wants(SPRING)}")
    assert only(read(text)).selector == "spring-boot@3.5.0"


def test_a_dependency_of_tests_is_skipped() -> None:
    reading = read(pom(wants(f"{KAFKA}<version>3.9.1</version><scope>test</scope>")))
    assert (reading.found, len(reading.skipped)) == ((), 1)


def test_profiles_of_a_pom_count() -> None:
    text = pom(f"<profiles><profile><id>x</id>{wants(f'{KAFKA}<version>3.9.1</version>')}</profile></profiles>")
    assert only(read(text)).selector == "java@3.9.1"


def managed(*dependencies: str) -> str:
    return f"<dependencyManagement>{''.join(map(wants, dependencies))}</dependencyManagement>"


def profile(inside: str) -> str:
    return f"<profile>{inside}</profile>"


def profiles(*insides: str) -> str:
    return f"<profiles>{''.join(map(profile, insides))}</profiles>"


def release(version: str) -> str:
    return f"{KAFKA}<version>{version}</version>"


BOOT = (
    "<groupId>org.springframework.boot</groupId><artifactId>spring-boot-dependencies</artifactId>"
    "<version>3.5.0</version><type>pom</type><scope>import</scope>"
)
PARENT = "<parent><groupId>shop</groupId><artifactId>all</artifactId><version>7</version></parent>"


@pytest.mark.parametrize(
    ("text", "selector", "why"),
    [
        (profiles(managed(release("3.9.1"))), "java@3.9.1", ""),
        (profiles(managed(release("3.9.1"))) + managed(release("3.9.1")), "java@3.9.1", ""),
        (
            profiles(managed(release("3.9.1"))) + managed(release("4.0.0")),
            "",
            "profiles manage 3.9.1, and without them it is 4.0.0",
        ),
        (
            profiles(managed(release("3.9.1")), managed(release("3.9.2"))),
            "",
            "profiles manage 3.9.1 and 3.9.2, and the build chooses among them",
        ),
        (
            PARENT + profiles(managed(release("3.9.1"))),
            "",
            "profiles manage 3.9.1, and without them the parent all 7 decides",
        ),
        (profiles(managed(BOOT)), "spring-boot@3.5.0", ""),
        (
            managed(BOOT) + profiles(managed(BOOT.replace("3.5.0", "3.4.0"))),
            "",
            "profiles import org.springframework.boot:spring-boot-dependencies 3.4.0, "
            "and without them an imported bill of materials decides",
        ),
    ],
)
def test_versions_that_profiles_manage_count_where_nothing_else_decides(text: str, selector: str, why: str) -> None:
    found = only(read(pom(text + wants(KAFKA))))
    assert (found.selector, found.unknown) == (selector, why)


def test_a_version_of_its_own_counts_before_what_profiles_manage() -> None:
    text = profiles(managed(release("3.9.1"))) + wants(release("4.0.0"))
    assert only(read(pom(text))).selector == "java@4.0.0"


def test_a_profile_of_a_parent_does_not_change_what_the_pom_itself_manages(tmp_path: Path) -> None:
    parent = pom(profiles(managed(release("3.9.1"))), "all")
    child = PARENT + managed(release("4.0.0")) + wants(KAFKA)
    readings = folder(tmp_path, **{".": parent}, orders=pom(child))
    assert [item.selector for reading in readings for item in reading.found] == ["java@4.0.0"]


def test_a_scope_of_tests_that_is_managed_counts() -> None:
    reading = read(pom(managed(f"{release('3.9.1')}<scope>test</scope>") + wants(KAFKA)))
    assert (reading.found, [str(item) for item in reading.skipped]) == (
        (),
        ["org.apache.kafka:kafka-clients 3.9.1: only for tests (scope test)"],
    )
    own = read(pom(managed(f"{release('3.9.1')}<scope>test</scope>") + wants(f"{KAFKA}<scope>compile</scope>")))
    assert only(own).selector == "java@3.9.1"


def test_what_is_managed_for_the_classes_of_tests_is_not_the_version_of_the_client() -> None:
    tests = f"{release('3.8.0')}<classifier>test</classifier><scope>test</scope>"
    assert only(read(pom(managed(tests, release("3.9.1")) + wants(KAFKA)))).selector == "java@3.9.1"
    reading = read(pom(managed(tests) + wants(KAFKA)))
    assert "decides, which is not in the folder" in only(reading).unknown


def test_a_dependency_of_tests_without_a_version_is_skipped() -> None:
    reading = read(pom(wants(f"{KAFKA}<scope>test</scope>")))
    assert [str(item) for item in reading.skipped] == ["org.apache.kafka:kafka-clients: only for tests (scope test)"]
