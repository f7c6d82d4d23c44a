"""Families that are Rust crates: client.toml agrees with the releases, and the driver with what its library can."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from probe.catalogue.families import Family, Version, read_family
from probe.drivers.sources.compiled_driver import tags_of
from probe.drivers.sources.crate import Pin, manifest

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
RUST = sorted(path.parent.parent.name for path in CLIENTS.glob("*/driver/Cargo.toml"))


def read(name: str) -> Family:
    return read_family(CLIENTS / name / "client.toml")


@pytest.fixture(params=RUST)
def family(request: pytest.FixtureRequest) -> Family:
    return read(request.param)


def test_its_source_is_a_crate(family: Family) -> None:
    assert family.source.kind == "crate"


def test_the_lock_file_pins_the_newest_version_with_its_digest(family: Family) -> None:
    packages = tomllib.loads((CLIENTS / family.family / "driver" / "Cargo.lock").read_text())["package"]
    (locked,) = (item for item in packages if item["name"] == family.source.name)
    assert (locked["version"], f"sha256:{locked['checksum']}") == (family.newest.version, family.newest.digest)


def test_every_feature_of_a_driver_is_in_client_toml(family: Family) -> None:
    stated = tomllib.loads((CLIENTS / family.family / "driver" / "Cargo.toml").read_text())
    assert set(stated.get("features", ())) == set(family.source.tags)


def test_a_wrapper_is_built_with_the_library_that_it_is_said_to_have() -> None:
    for item in read("rust-rdkafka").versions:
        assert item.library is not None
        inside = Pin.parse(item.extra[0])
        assert (inside.name, inside.version.partition("+")[2]) == ("rdkafka-sys", item.library.version)


def test_a_wrapper_has_the_profiles_of_its_library() -> None:
    library = read_family(CLIENTS / "librdkafka" / "client.toml")
    assert set(library.profiles) - set(read("rust-rdkafka").profiles) == {"autocommit", "consumer-protocol"}


def test_features_follow_the_version() -> None:
    rskafka = read("rskafka")
    assert tags_of(rskafka, Version(version="0.4.0")) == []
    assert tags_of(rskafka, Version(version="0.5.0+local.ab12cd34")) == ["backoff"]


def test_a_manifest_names_one_version_and_real_places(family: Family) -> None:
    made = tomllib.loads(manifest(family, family.newest))
    assert made["dependencies"][family.source.name]["version"] == f"={family.newest.version}"
    assert Path(made["dependencies"]["driver-runtime"]["path"], "Cargo.toml").is_file()
    assert Path(made["package"]["build"]).is_file()
    assert [Path(item["path"]).is_file() for item in made["bin"]] == [True]
    checkout = tomllib.loads(manifest(family, Version(version="0+local.1", artifact="path:/some/where")))
    assert checkout["dependencies"][family.source.name]["path"] == "/some/where"
