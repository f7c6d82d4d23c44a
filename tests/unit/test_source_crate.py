"""Crates: built once per version, checked against their digest; cargo's errors become one line."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from probe.catalogue.families import Family, Version
from probe.drivers import provision
from probe.drivers.sources import crate
from probe.errors import ProvisionError
from probe.toolchain import cargo
from probe.toolchain.tools import ToolError

DIGEST = "00ff"
CARGO = """#!/bin/sh
case "$1" in
--version) echo "cargo 1.2.3 (abc 2026-01-01)" ;;
info) case "$2" in
    toy | toy@1.0.0) echo "toy"; echo "version: 1.0.0" ;;
    *) echo "error: could not find `$2` in registry" >&2; exit 101 ;;
    esac ;;
generate-lockfile) if [ -n "$OFFLINE" ]; then echo "error: no network" >&2; exit 101; fi
    case $(grep '^toy' Cargo.toml) in
    *'">0.9.0, <1.2.0"'*) there=1.1.0 ;;
    *'">0.9.0, <1.1.0"'*) there=1.0.0 ;;
    *) echo 'error: failed to select a version for the requirement `toy = "x"`' >&2; exit 101 ;;
    esac
    printf '[[package]]\\nname = "range"\\nversion = "0.0.0"\\n[[package]]\\nname = "toy"\\nversion = "%s"\\n' $there \
        > Cargo.lock ;;
update) echo "pinned $2 $4" >> "$BUILDS"
    printf '[[package]]\\nname = "%s"\\nversion = "%s"\\nchecksum = "'$PINNED'"\\n' "$2" "$4" > pinned ;;
build) if [ -n "$BROKEN" ]; then echo "error[E0433]: cannot find it" >&2; echo "more" >&2; exit 101; fi
    echo x >> "$BUILDS"
    mkdir -p "$6/release"; echo built > "$6/release/program"
    printf '[[package]]\\nname = "toy"\\nversion = "1.0.0"\\nchecksum = "00ff"\\n' > Cargo.lock
    if [ -f pinned ]; then cat pinned >> Cargo.lock; fi ;;
esac
"""


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Family:
    tool = tmp_path / "bin" / "cargo"
    tool.parent.mkdir()
    tool.write_text(CARGO.replace("`$2`", "'$2'"))
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(cargo, "find_tool", lambda _: tool)
    monkeypatch.setenv("BUILDS", str(tmp_path / "builds"))
    monkeypatch.setenv("PROBE_CLIENTS", str(tmp_path / "clients"))
    cargo.cargo_version.cache_clear()
    driver = tmp_path / "clients" / "toy" / "driver"
    (driver / "src").mkdir(parents=True)
    (driver / "src" / "main.rs").write_text("fn main() {}\n")
    (driver / "Cargo.toml").write_text('[dependencies]\ntoy = { version = "*" }\nshared = { path = "../../rust/x" }\n')
    (driver / "Cargo.lock").write_text("")
    return Family.model_validate(
        {
            "family": "toy",
            "title": "Toy",
            "about": "",
            "driver": "driver",
            "instances_per_process": 1,
            "core": [],
            "source": {"kind": "crate", "name": "toy"},
            "roles": {"producer": {}},
            "profiles": {"isolated": {}},
            "behaviour": {"back_off_ms": []},
            "versions": [{"version": "1.0.0", "digest": f"sha256:{DIGEST}"}],
        }
    )


def test_a_driver_is_built_again_only_after_a_source_change(family: Family, tmp_path: Path) -> None:
    first = crate.obtain(family, family.versions[0], tmp_path / "cache")
    assert first.artifact == f"crate toy 1.0.0 sha256:{DIGEST}"
    assert Path(first.argv[0]).read_text() == "built\n"
    assert crate.obtain(family, family.versions[0], tmp_path / "cache") == first
    (tmp_path / "clients" / "toy" / "driver" / "src" / "main.rs").write_text("fn main() { }\n")
    assert crate.obtain(family, family.versions[0], tmp_path / "cache") != first
    assert (tmp_path / "builds").read_text() == "x\n" * 2


def test_a_wrong_digest_is_refused_and_both_are_named(family: Family, tmp_path: Path) -> None:
    other = Version(version="1.0.0", digest="sha256:ff00")
    with pytest.raises(ProvisionError, match=rf"^toy 1\.0\.0: .*sha256:{DIGEST}.*sha256:ff00"):
        crate.obtain(family, other, tmp_path / "cache")


def test_a_version_is_built_with_the_crates_that_it_pins(
    family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = "ab" * 32
    monkeypatch.setenv("PINNED", digest)
    pinned = family.versions[0].model_copy(update={"extra": (f"toy-sys==2.0.0+7.1.0 sha256:{digest}",)})
    crate.obtain(family, pinned, tmp_path / "cache")
    assert (tmp_path / "builds").read_text() == "pinned toy-sys 2.0.0+7.1.0\nx\n"
    other = pinned.model_copy(update={"extra": (f"toy-sys==2.0.0+7.1.0 sha256:{'cd' * 32}",)})
    with pytest.raises(ProvisionError, match=rf"^toy 1\.0\.0: .*sha256:{digest}.*sha256:cdcd"):
        crate.obtain(family, other, tmp_path / "cache")


def test_a_crate_beside_the_library_has_a_digest(family: Family, tmp_path: Path) -> None:
    unpinned = family.versions[0].model_copy(update={"extra": ("toy-sys==2.0.0",)})
    with pytest.raises(ProvisionError, match=r"'toy-sys==2\.0\.0' is not a pinned crate; write name==version sha256"):
        crate.obtain(family, unpinned, tmp_path / "cache")


def test_a_missing_compiler_of_c_is_an_error_of_one_line(family: Family, tmp_path: Path) -> None:
    source = family.source.model_copy(update={"needs": ("no-such-compiler",)})
    needy = family.model_copy(update={"source": source})
    with pytest.raises(ProvisionError, match=r"^toy 1\.0\.0: no-such-compiler is not on this machine; install it$"):
        crate.obtain(needy, needy.versions[0], tmp_path / "cache")
    assert not (tmp_path / "builds").exists()


def test_a_driver_that_does_not_build_is_an_error_of_one_line(
    family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROKEN", "1")
    with pytest.raises(ProvisionError, match=r"^toy 1\.0\.0: 1\.0\.0 did not build: error\[E0433\]: cannot find it$"):
        crate.obtain(family, family.versions[0], tmp_path / "cache")


def test_missing_cargo_is_an_error_of_one_line(family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Path:
        raise ToolError(f"{name} is not on this machine; install it")

    monkeypatch.setattr(cargo, "find_tool", absent)
    cargo.cargo_version.cache_clear()
    with pytest.raises(ProvisionError, match=r"^toy 1\.0\.0: cargo is not on this machine; install it$"):
        crate.obtain(family, family.versions[0], tmp_path / "cache")


def test_versions_are_looked_up_by_cargo(family: Family) -> None:
    assert crate.newest(family) == "1.0.0"
    assert crate.exists(family, "1.0.0")
    assert not crate.exists(family, "9.0.0")


def test_a_checkout_is_marked_by_its_content(family: Family, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    (checkout / "src").mkdir(parents=True)
    with pytest.raises(ProvisionError, match="no crate toy there"):
        crate.local(family, checkout)
    (checkout / "Cargo.toml").write_text('[package]\nname = "toy"\nversion = "1.1.0"\n')
    before = crate.local(family, checkout)
    (checkout / "src" / "lib.rs").write_text("// changed\n")
    after = crate.local(family, checkout)
    assert before.version.startswith("1.1.0+local.")
    assert before.version != after.version


def test_a_bisection_finds_the_releases_between_two(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    assert provision.releases(family, "0.9.0", "1.2.0") == ["1.1.0", "1.0.0"]
    assert provision.releases(family, "1.0.0", "1.1.0") == []
    monkeypatch.setenv("OFFLINE", "1")
    with pytest.raises(ProvisionError, match=r"^toy >0\.9\.0, <1\.2\.0: error: no network$"):
        provision.releases(family, "0.9.0", "1.2.0")
