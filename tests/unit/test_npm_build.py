"""npm packages with compiled code: built for one Node, only what runs is kept, and a machine that cannot says why."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import Family
from probe.drivers.provision import provision
from probe.drivers.sources import npm, npm_native
from probe.errors import ProvisionError
from probe.toolchain import npm_build, npm_tarballs, tools
from probe.toolchain.tools import ToolError
from tests.support.npm_registry import Registry, toy_family

NPM = """#!/bin/sh
[ "$1" = run ] || exit 9
echo "$2 $LINKING $npm_config_nodedir" >> built.log
if [ -n "$BROKEN" ]; then echo "a.cc:7: error: no such type" >&2; echo "more" >&2; exit 2; fi
mkdir -p build/Release && echo binary > build/Release/toy.node && echo object > build/Release/toy.o
ln -sf toy.node build/Release/link.node
"""
NODE = "#!/bin/sh\necho {version}\n"
BUILD = {
    "scripts": ["configure", "build"],
    "env": {"LINKING": "dynamic"},
    "tools": ["make", "g++"],
    "keep": ["package.json", "lib/**", "build/Release/*.node", "built.log"],
}


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def node_in(prefix: Path, version: str, header: str | None) -> Path:
    """Return a Node with the header of a major version, or without any."""
    if header is not None:
        (prefix / "include" / "node").mkdir(parents=True)
        (prefix / npm_build.HEADER).write_text(f"#define NODE_MAJOR_VERSION {header}\n")
    return program(prefix / "bin" / "node", NODE.format(version=version))


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder with tools: npm, make and g++, which do nothing but write files."""
    folder = tmp_path / "tools"
    for name in ("make", "g++"):
        program(folder / name)
    program(folder / "npm", NPM)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr(npm_build, "find_tool", lambda name: found_in(folder, name))
    return folder


def found_in(folder: Path, name: str) -> Path:
    if not (folder / name).exists():
        raise ToolError(f"{name} is not on this machine; {tools.FIXES[name]}")
    return folder / name


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bin_folder: Path) -> Family:
    folder = tmp_path / "registry"
    folder.mkdir()
    registry = Registry(folder)
    package = '{"name": "toy", "version": "1.0.0", "scripts": {"configure": "c", "build": "b"}}'
    registry.add("1.0.0", **{"package.json": package, "lib/deep/a.js": "kept", "src/a.cc": "source"})
    monkeypatch.setattr(npm, "npm", registry)
    use(monkeypatch, node_in(tmp_path / "node20", "20.1.0", "20"))
    return toy_family([{"version": "1.0.0"}], source={"build": BUILD})


def use(monkeypatch: pytest.MonkeyPatch, node: Path) -> None:
    for module in (npm, npm_native):
        monkeypatch.setattr(module, "node", lambda *_: node)


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() or path.is_symlink()}


def package_of(family: Family, cache: Path) -> Path:
    return Path(npm.obtain(family, family.versions[0], cache).argv[3])


def test_a_package_is_built_by_its_scripts_and_only_what_runs_is_kept(family: Family, tmp_path: Path) -> None:
    place = package_of(family, tmp_path / "cache")
    assert files_in(place) == {"package.json", "lib/deep/a.js", "build/Release/toy.node", "built.log"}
    prefix = tmp_path / "node20"
    assert (place / "built.log").read_text() == f"configure dynamic {prefix}\nbuild dynamic {prefix}\n"


def test_it_is_built_once_for_each_node(family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, again = (package_of(family, tmp_path / "cache") for _ in range(2))
    use(monkeypatch, node_in(tmp_path / "node22", "22.1.0", "22"))
    other = package_of(family, tmp_path / "cache")
    assert first == again != other
    assert len((first / "built.log").read_text().splitlines()) == 2


def test_a_build_that_fails_names_the_first_error_and_leaves_no_folder(
    family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROKEN", "1")
    with pytest.raises(ProvisionError, match=r"^toy 1\.0\.0: toy: configure failed: a\.cc:7: error: no such type$"):
        provision(family, family.versions[0], tmp_path / "cache")
    assert all(path.suffix == ".lock" for path in (tmp_path / "cache" / "npm").iterdir())


def test_a_machine_without_a_compiler_skips_the_family_with_that_reason(
    family: Family, tmp_path: Path, bin_folder: Path
) -> None:
    assert npm_native.compiler_of(family) == (True, f"make, g++ and the headers of {tmp_path / 'node20/bin/node'}")
    (bin_folder / "g++").unlink()
    with pytest.raises(ProvisionError, match=r"^toy 1\.0\.0: g\+\+ is not on this machine; install a C\+\+ compiler"):
        provision(family, family.versions[0], tmp_path / "cache")
    assert npm_native.compiler_of(family)[0] is False
    assert [path.suffix for path in (tmp_path / "cache" / "npm").iterdir()] == [".lock"]


def test_what_is_built_already_needs_no_compiler(family: Family, tmp_path: Path, bin_folder: Path) -> None:
    first = package_of(family, tmp_path / "cache")
    (bin_folder / "g++").unlink()
    assert package_of(family, tmp_path / "cache") == first


@pytest.mark.parametrize(
    ("header", "text"), [(None, r"has no .*node_version\.h"), ("18", r"is of Node 18, but .* 20;")]
)
def test_headers_of_another_node_or_none_are_no_headers(tmp_path: Path, header: str | None, text: str) -> None:
    with pytest.raises(ToolError, match=text):
        npm_build.headers(node_in(tmp_path, "20.1.0", header))


def test_a_package_without_the_script_is_refused(tmp_path: Path, bin_folder: Path) -> None:
    (tmp_path / "package.json").write_text('{"scripts": {}}')
    with pytest.raises(ToolError, match="has no script build"):
        npm_build.build(tmp_path, ["build"], {}, node_in(tmp_path, "20.1.0", "20"))


def test_programs_in_a_tarball_stay_programs(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as archive:
        for name, mode in (("package/configure", 0o755), ("package/read.me", 0o644)):
            member: Any = tarfile.TarInfo(name)
            member.mode = mode
            archive.addfile(member, io.BytesIO(b""))
    npm_tarballs.unpack(tmp_path / "a.tgz", tmp_path / "out")
    assert [bool((tmp_path / "out" / name).stat().st_mode & 0o100) for name in ("configure", "read.me")] == [
        True,
        False,
    ]
