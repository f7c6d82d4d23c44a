"""Jars from a Maven registry: a stand-in on loopback that the real jgo queries."""

from __future__ import annotations

import hashlib
import http.server
import io
import threading
import zipfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from probe.errors import ProvisionError
from probe.toolchain import maven_jars, maven_registry
from probe.toolchain.tools import ToolError

THING = "org.example:thing:1.2.0"
JAR = "/org/example/thing/1.2.0/thing-1.2.0.jar"
LISTING = "/org/example/thing/maven-metadata.xml"
VERSIONS = ("1.2.0", "1.10.0", "1.9.1", "2.0.0-rc1", "2.0.0-beta", "1.3.0")


def _jar() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("thing.txt", "a thing")
    return out.getvalue()


def _listing() -> bytes:
    listed = "".join(f"<version>{version}</version>" for version in VERSIONS)
    return (
        "<metadata><groupId>org.example</groupId><artifactId>thing</artifactId>"
        f"<versioning><versions>{listed}</versions></versioning></metadata>"
    ).encode()


class Registry:
    """Serves files by path, after a given series of failures."""

    def __init__(self) -> None:
        self.files = {JAR: _jar(), LISTING: _listing()}
        self.asked: Counter[str] = Counter()
        self.failures: dict[str, list[int]] = {}
        """Failures per path before the file is served: a status, or 0 for half a file and a closed connection."""

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        self.asked[request.path] += 1
        body = self.files.get(request.path)
        waiting = self.failures.get(request.path)
        status = waiting.pop(0) if waiting else 200
        if status > 200 or body is None:
            request.send_error(status if status > 200 else 404)
            return
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body if status else body[: len(body) // 2])


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Registry]:
    registry = Registry()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            registry.answer(self)

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    real = maven_registry._place

    def place(scratch: Path) -> Any:
        ours = real(scratch)
        ours.remote_repos = {"ours": f"http://127.0.0.1:{server.server_port}"}
        ours.local_repos = []
        return ours

    def no_mvn(name: str) -> Path:
        raise ToolError(f"no {name} here")

    monkeypatch.setattr(maven_registry, "_place", place)
    monkeypatch.setattr(maven_registry, "find_tool", no_mvn)
    monkeypatch.setattr(maven_registry._download.retry, "wait", lambda _: 0.01)
    yield registry
    server.shutdown()
    server.server_close()


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def test_a_jar_is_fetched_once_with_its_digest(served: Registry, tmp_path: Path) -> None:
    for _ in range(2):
        found = maven_jars.fetch([THING], tmp_path)
        assert found == {THING: tmp_path / "jars" / "thing-1.2.0.jar"}
        assert found[THING].read_bytes() == served.files[JAR]
        assert maven_jars.digest(found[THING]) == _digest(served.files[JAR])
    assert served.asked[JAR] == 1


def test_a_wrong_digest_is_rejected_and_nothing_is_kept(served: Registry, tmp_path: Path) -> None:
    with pytest.raises(ProvisionError) as refused:
        maven_jars.fetch([THING], tmp_path, digests={THING: "sha256:00"})
    assert "sha256:00" in str(refused.value)
    assert _digest(served.files[JAR]) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not list((tmp_path / "jars").glob("*.jar"))
    assert not list((tmp_path / "jars").glob(".fetch-*"))


def test_a_stored_jar_with_a_wrong_digest_is_rejected(served: Registry, tmp_path: Path) -> None:
    maven_jars.fetch([THING], tmp_path)
    with pytest.raises(ProvisionError, match="sha256:11 is pinned"):
        maven_jars.fetch([THING], tmp_path, digests={THING: "sha256:11"})


def test_a_truncated_jar_is_fetched_again(served: Registry, tmp_path: Path) -> None:
    jar = maven_jars.fetch([THING], tmp_path)[THING]
    jar.write_bytes(jar.read_bytes()[:20])
    assert maven_jars.fetch([THING], tmp_path)[THING].read_bytes() == served.files[JAR]
    assert served.asked[JAR] == 2


def test_concurrent_fetches_download_a_jar_once(served: Registry, tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: maven_jars.fetch([THING], tmp_path), range(8)))
    assert served.asked[JAR] == 1


def test_a_missing_version_is_reported_without_a_retry(served: Registry, tmp_path: Path) -> None:
    with pytest.raises(
        ProvisionError, match=r"^org\.example:thing:7\.0\.0: the Maven registry does not have it; choose"
    ):
        maven_jars.fetch(["org.example:thing:7.0.0"], tmp_path)
    assert served.asked["/org/example/thing/7.0.0/thing-7.0.0.jar"] == 1


@pytest.mark.parametrize("failure", [503, 0])
def test_a_failed_request_is_retried(served: Registry, tmp_path: Path, failure: int) -> None:
    served.failures[JAR] = [failure]
    assert maven_jars.fetch([THING], tmp_path)[THING].read_bytes() == served.files[JAR]
    assert served.asked[JAR] == 2


def test_a_registry_that_keeps_failing_is_reported_in_one_line(served: Registry, tmp_path: Path) -> None:
    served.failures[JAR] = [503] * 9
    with pytest.raises(
        ProvisionError, match=r"cannot be reached \(it lists this version but did not serve it\)"
    ) as caught:
        maven_jars.fetch([THING], tmp_path)
    assert "\n" not in str(caught.value)
    assert "127.0.0.1" not in str(caught.value)


def test_the_newest_version_is_the_highest_release(served: Registry) -> None:
    assert maven_jars.newest("org.example:thing") == "1.10.0"


def test_an_unknown_project_is_reported_in_one_line(served: Registry) -> None:
    with pytest.raises(ProvisionError, match=r"^org\.example:other: the Maven registry does not list it"):
        maven_jars.newest("org.example:other")


@pytest.mark.parametrize("text", ["thing", "org.example:thing", "a:b:../c", "a:b:c:d:e:f", "a:b c:1"])
def test_what_is_no_coordinate_is_one_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(ProvisionError, match=r"is not a Maven coordinate; write group:artifact:version$"):
        maven_jars.fetch([text], tmp_path)


def test_a_classifier_is_part_of_the_file_name() -> None:
    found = maven_registry.Coordinate.parse("g:protoc:4.0:exe:linux-x86_64")
    assert (found.file, str(found)) == ("protoc-4.0-linux-x86_64.exe", "g:protoc:4.0:exe:linux-x86_64")


def test_maven_is_the_fallback_if_jgo_fails(served: Registry, tmp_path: Path, monkeypatch: Any) -> None:
    served.failures[JAR] = [503] * 9
    program = tmp_path / "mvn"
    program.write_text(
        "#!/bin/sh\nfor word; do case $word in -DoutputDirectory=*) out=${word#*=};; esac; done\n"
        f"mkdir -p $out && cp {tmp_path}/own.jar $out/thing-1.2.0.jar\n"
    )
    program.chmod(0o755)
    (tmp_path / "own.jar").write_bytes(served.files[JAR])
    monkeypatch.setattr(maven_registry, "find_tool", lambda _: program)
    assert maven_jars.fetch([THING], tmp_path)[THING].read_bytes() == served.files[JAR]
    assert (tmp_path / "own.jar").exists()
