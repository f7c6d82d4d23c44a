"""The SBOM of an image, written by osv-scanner from an archive as `docker save` makes it."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from probe.cli.image import main
from probe.errors import ProbeError
from probe.toolchain import image_bill
from probe.toolchain.image_engines import Buildah, ContainerEngine
from run import needs_scanner
from tests.support.osv_scanner import osv_scanner

FILES = {
    "etc/os-release": 'ID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n',
    "var/lib/dpkg/status": "Package: tini\nStatus: install ok installed\nArchitecture: amd64\nVersion: 0.19.0-1\n\n",
    "opt/probe/.venv/lib/python3.11/site-packages/typer-0.12.0.dist-info/METADATA": "Name: typer\nVersion: 0.12.0\n\n",
    "usr/local/lib/node_modules/npm/package.json": '{"name": "npm", "version": "10.0.0"}',
}
"""A file for each kind of package that the image of docker/Dockerfile has, by path."""
STUB = """#!/bin/sh
echo "$0 $@" >> {log}
case "$1 $2" in
  "image inspect") echo '{{"User": "10001", "Entrypoint": ["probe"], "Cmd": ["run", "--time-budget", "9"]}}' ;;
esac
"""


def archive(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as packed:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            packed.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def image(files: Mapping[str, str]) -> bytes:
    """Return an image of one layer."""
    layer = archive({name: text.encode() for name, text in files.items()})
    about = {"rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]}, "config": {}}
    about |= {"architecture": "amd64", "os": "linux", "history": [{"created_by": "a test"}]}
    manifest = [{"Config": "about.json", "RepoTags": ["image:latest"], "Layers": ["layer.tar"]}]
    parts = {"manifest.json": json.dumps(manifest).encode(), "about.json": json.dumps(about).encode()}
    return archive(parts | {"layer.tar": layer})


def test_every_kind_of_package_is_in_the_sbom(tmp_path: Path) -> None:
    (tmp_path / "image.tar").write_bytes(image(FILES))
    bill = tmp_path / "bill.json"
    subprocess.run(image_bill.scan(str(osv_scanner()), tmp_path / "image.tar", bill), check=True, capture_output=True)
    described = json.loads(bill.read_text())
    assert described["spdxVersion"] == "SPDX-2.3"
    found = {ref["referenceLocator"] for one in described["packages"] for ref in one.get("externalRefs", ())}
    assert {one.partition("?")[0] for one in found} == {
        "pkg:deb/debian/tini@0.19.0-1",
        "pkg:pypi/typer@0.12.0",
        "pkg:npm/npm@10.0.0",
    }
    assert str(tmp_path) not in bill.read_text()


def test_the_image_is_described_between_its_build_and_its_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("docker", "osv-scanner"):
        (tmp_path / name).write_text(STUB.format(log=tmp_path / "log"))
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "argv", ["run.py image", "--budget", "0", "--sbom", "bill.json"])
    monkeypatch.chdir(tmp_path)
    main()
    lines = [line.removeprefix(f"{tmp_path}/") for line in (tmp_path / "log").read_text().splitlines()]
    steps = [words for line in lines for words in ("build", "save", "scan", "inspect", "run") if f" {words} " in line]
    assert steps == ["build", "save", "scan", "inspect", *["run"] * 4]
    scanned = next(line.split() for line in lines if " scan " in line)
    saved = next(line.split() for line in lines if " save " in line)
    assert scanned[-1] == saved[saved.index("--output") + 1]
    assert scanned[scanned.index("--output-file") + 1] == str(tmp_path / "bill.json")
    assert not Path(scanned[-1]).parent.exists()


def test_without_osv_scanner_nothing_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path))
    with pytest.raises(ProbeError, match="no osv-scanner is here"):
        image_bill.scanner()


@pytest.mark.parametrize(
    ("task", "arguments", "needed"),
    [
        ("image", ["--sbom", "f"], True),
        ("image", ["--sbom=f"], True),
        ("image", [], False),
        ("probe", ["--sbom"], False),
        ("test", ["--quick"], False),
        ("test", [], True),
    ],
)
def test_only_what_needs_osv_scanner_builds_it(task: str, arguments: list[str], needed: bool) -> None:
    assert needs_scanner(task, arguments) is needed


def test_each_engine_writes_the_archive() -> None:
    assert ContainerEngine("podman", "probe-7").export("/t/image.tar")[1:] == [
        "save",
        "--output",
        "/t/image.tar",
        "probe-7",
    ]
    command = Buildah(["buildah"], "/work", "probe-7", None).export("/t/image.tar")
    assert command[-2:] == ["probe-7", "docker-archive:/t/image.tar:probe-7"]
    assert command[command.index("push") + 1 :][:2] == ["--signature-policy", "/work/policy.json"]
