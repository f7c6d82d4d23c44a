"""Go drivers (`probe.drivers.sources.module`): one driver per version of a library."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import Family, Version, read_family
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.launch import Launch
from probe.drivers.sources import module
from probe.errors import ProvisionError
from probe.toolchain import golang
from probe.toolchain.tools import ToolError, cache_root
from tests.support.deadlines import LONGEST_S
from tests.support.driver_host import ENDINGS, driving

OLD, NEW = "1.27.0", "1.43.3"
H1 = "h1:Yj6L2IaNvb2mRBop39N7mmJAHBVY3dTPncr3qGVkxPA="


@pytest.fixture(scope="module")
def sarama() -> Family:
    return read_family(Path(__file__).parents[2] / "clients" / "sarama" / "client.toml")


class Go:
    """A fake go command: it answers `mod download` and `list`, and builds an empty file."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, digest: str = H1, failure: str = "") -> None:
        self.calls: list[tuple[str, ...]] = []
        self.digest, self.failure = digest, failure
        self.modfile = ""
        monkeypatch.setattr(module, "go", self.go)
        monkeypatch.setattr(module, "build", self.build)
        monkeypatch.setattr(module, "go_version", lambda: "go1.99")

    def go(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        self.calls.append(arguments)
        answer = {"Error": self.failure} if self.failure else {"Sum": self.digest}
        listed = "github.com/IBM/sarama v1.9.0 v1.43.3 v1.100.1 v1.101.0-rc.1 v1.43.4\n"
        text = json.dumps(answer) if arguments[0] == "mod" else listed
        return subprocess.CompletedProcess(arguments, bool(self.failure), text, self.failure)

    def build(
        self, package: str, out: Path, *, modfile: Path, tags: list[str], variables: dict[str, str], cgo: bool
    ) -> None:
        self.calls.append(("build", package, *tags, *variables.values(), *(["with C"] if cgo else [])))
        self.modfile = modfile.read_text()
        out.write_text("")


def test_a_new_version_is_required_under_its_own_path(sarama: Family, tmp_path: Path, monkeypatch: Any) -> None:
    go = Go(monkeypatch)
    launch = module.obtain(sarama, Version(version=NEW, digest=H1), tmp_path)
    assert Path(launch.argv[0]).is_file()
    assert launch.built == Path(launch.argv[0]).parent
    assert launch.artifact == f"module github.com/IBM/sarama v{NEW} {H1}"
    assert f"\tgithub.com/IBM/sarama v{NEW}\n" in go.modfile
    assert "replace" not in go.modfile
    assert "\tgoogle.golang.org/grpc v" in go.modfile
    assert "kfake" not in go.modfile


def test_an_old_version_is_replaced_by_its_old_path(sarama: Family, tmp_path: Path, monkeypatch: Any) -> None:
    go = Go(monkeypatch)
    launch = module.obtain(sarama, Version(version=OLD), tmp_path)
    assert launch.artifact == f"module github.com/Shopify/sarama v{OLD} {H1}"
    assert f"\nreplace github.com/IBM/sarama => github.com/Shopify/sarama v{OLD}\n" in go.modfile
    assert ("mod", "download", "-json", f"github.com/Shopify/sarama@v{OLD}") in go.calls


def test_a_driver_is_built_again_only_after_a_source_change(sarama: Family, tmp_path: Path, monkeypatch: Any) -> None:
    go = Go(monkeypatch)
    first = module.obtain(sarama, Version(version=NEW), tmp_path)
    done = len(go.calls)
    assert module.obtain(sarama, Version(version=NEW), tmp_path) == first
    assert len(go.calls) == done
    monkeypatch.setattr(module, "source_hash", lambda *_, **__: "other")
    assert module.obtain(sarama, Version(version=NEW), tmp_path).argv != first.argv


def test_a_wrong_digest_is_refused_and_both_are_named(sarama: Family, tmp_path: Path, monkeypatch: Any) -> None:
    Go(monkeypatch, digest="h1:seen=")
    with pytest.raises(ProvisionError, match=r"served h1:seen=, but client.toml pins h1:pinned=") as refused:
        module.obtain(sarama, Version(version=NEW, digest="h1:pinned="), tmp_path)
    assert "\n" not in str(refused.value)
    module.obtain(sarama, Version(version=NEW), tmp_path)  # it is in the cache now and still refused
    with pytest.raises(ProvisionError, match="h1:pinned="):
        module.obtain(sarama, Version(version=NEW, digest="h1:pinned="), tmp_path)


def test_an_unknown_version_is_an_error_of_one_line(sarama: Family, tmp_path: Path, monkeypatch: Any) -> None:
    Go(monkeypatch, failure="reading https://registry/x.info: 404\n\tserver response: not found")
    with pytest.raises(
        ProvisionError, match=r"^sarama 9\.9\.9: github.com/IBM/sarama@v9\.9\.9 .* not found; choose"
    ) as refused:
        module.obtain(sarama, Version(version="9.9.9"), tmp_path)
    assert "\n" not in str(refused.value)
    assert not module.exists(sarama, "9.9.9")


@pytest.mark.parametrize(
    "failure",
    [
        'Get "https://proxy.golang.org/x.info": dial tcp: lookup proxy.golang.org: no such host',
        "module lookup disabled by GOPROXY=off",
        "reading https://registry/x.info: 503 Service Unavailable",
    ],
)
def test_a_proxy_that_does_not_answer_is_no_missing_version(sarama: Family, monkeypatch: Any, failure: str) -> None:
    Go(monkeypatch, failure=failure)
    with pytest.raises(
        ProvisionError, match=r"^sarama 1\.45\.1: the Go module proxy cannot be asked; check the network"
    ):
        module.exists(sarama, "1.45.1")


def test_missing_go_is_an_error_of_one_line(sarama: Family, tmp_path: Path, monkeypatch: Any) -> None:
    def missing(*_: str) -> None:
        raise ToolError("go is not on this machine")

    Go(monkeypatch)
    monkeypatch.setattr(module, "go", missing)
    for call in (lambda: module.obtain(sarama, Version(version=NEW), tmp_path), lambda: module.newest(sarama)):
        with pytest.raises(ProvisionError, match="go is not on this machine"):
            call()


def test_a_library_that_is_c_inside_is_built_with_its_compiler_or_not_at_all(tmp_path: Path, monkeypatch: Any) -> None:
    def missing(name: str) -> None:
        raise ToolError(f"no {name} here")

    family = read_family(Path(__file__).parents[2] / "clients" / "confluent-go" / "client.toml")
    go = Go(monkeypatch, digest=family.newest.digest)
    module.obtain(family, family.newest, tmp_path)
    assert go.calls[-1] == ("build", "./cmd/confluent-go-driver", "confluent", "with C")
    monkeypatch.setattr(module, "build", golang.build)
    monkeypatch.setattr(golang, "find_tool", missing)
    with pytest.raises(ProvisionError, match=rf"^confluent-go {family.newest.version}: no gcc here$"):
        module.obtain(family, family.newest, tmp_path / "other")


def test_the_newest_version_is_by_number_without_candidates(sarama: Family, monkeypatch: Any) -> None:
    Go(monkeypatch)
    assert module.newest(sarama) == "1.100.1"


def test_newest_without_network_names_the_way_out(sarama: Family, monkeypatch: Any) -> None:
    Go(monkeypatch, failure="dial tcp: lookup registry: no such host")
    with pytest.raises(ProvisionError, match=r"sarama@latest: .*no such host; name a version"):
        module.newest(sarama)


def test_a_checkout_takes_its_release_from_its_tag_or_folder(sarama: Family, tmp_path: Path) -> None:
    checkout = tmp_path / "sarama@v1.43.3"
    checkout.mkdir()
    (checkout / "go.mod").write_text("module github.com/IBM/sarama\n")
    (checkout / "CHANGELOG.md").write_text("## Version 1.42.2 (2024-02-09)\n")
    assert module.local(sarama, checkout).version.startswith("1.43.3+local.")
    run = ["git", "-C", str(checkout), "-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"], ["tag", "v1.44.0"]):
        subprocess.run([*run, *arguments], check=True)
    assert module.local(sarama, checkout).version.startswith("1.44.0+local.")


def test_a_checkout_is_named_by_its_content(sarama: Family, tmp_path: Path, monkeypatch: Any) -> None:
    checkout = tmp_path / "mine"
    checkout.mkdir()
    with pytest.raises(ProvisionError, match=r"no go\.mod there"):
        module.local(sarama, checkout)
    (checkout / "go.mod").write_text("module github.com/IBM/sarama\n")
    (checkout / "CHANGELOG.md").write_text("# Changelog\n\n## Version 1.46.3 (2025-10-26)\n\n## Version 1.46.2\n")
    version = module.local(sarama, checkout)
    assert version.version.startswith("1.46.3+local.")
    go = Go(monkeypatch)
    launch = module.obtain(sarama, version, tmp_path / "cache")
    assert f"replace github.com/IBM/sarama => {checkout}\n" in go.modfile
    assert go.calls == [("build", "./cmd/sarama-driver", "token_provider", version.version[-8:])]
    assert str(checkout) in launch.artifact
    (checkout / "client.go").write_text("package sarama")
    assert module.local(sarama, checkout).version != version.version


@pytest.fixture(scope="module", params=[OLD, NEW])
def built(request: pytest.FixtureRequest, sarama: Family) -> tuple[str, Launch]:
    pinned = sarama.find(request.param)
    assert pinned
    return request.param, module.obtain(sarama, pinned, cache_root())


Given = dict[str, Any]
GIVEN: Given = {"instance": "i", "client_id": "c", "role": "producer", "profile": "isolated", "topic": "t"}
GIVEN |= {"bootstrap": ["127.0.0.1:1"], "partitions": [0], "interval_ms": 100, "max_in_flight": 32, "broker": "3.9"}


def ending(launch: Launch, **fields: Any) -> pb.Event:
    """Start one instance and return its last event."""

    async def play() -> pb.Event:
        async with driving(launch) as driver:
            driver.start(**(GIVEN | fields))
            await driver.until(lambda: driver.of("i", *ENDINGS))
            return driver.of("i")[-1]

    return asyncio.run(play())


@pytest.mark.real
def test_hello_matches_the_catalogue(built: tuple[str, Launch], sarama: Family) -> None:
    async def play() -> pb.Hello | None:
        async with driving(launch) as driver:
            assert driver.hello is not None
            assert driver.hello.token == driver.token
            return driver.hello

    version, launch = built
    hello = asyncio.run(play())
    assert hello is not None
    assert (hello.family, hello.version, hello.runtime) == ("sarama", version, golang.go_version())
    assert set(hello.roles) == {name for name, span in sarama.roles.items() if span.covers(version)}
    assert set(hello.profiles) == {name for name, span in sarama.profiles.items() if span.covers(version)}


@pytest.mark.real
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"role": "invented"}, 'no role "invented"'),
        ({"profile": "invented"}, 'no profile "invented"'),
        ({"profile": "consumer-protocol"}, "no profile"),
        ({"properties": {"Producer.Invented": "1"}}, "no Config.Producer.Invented"),
        ({"properties": {"Producer.Retry.Max": "many"}}, 'cannot be "many"'),
        ({"properties": {"Producer.Retry.BackoffFunc": "1"}}, "has no text form"),
        ({"properties": {"Producer.Return.Errors": "false"}}, "set by the driver itself"),
        ({"properties": {"Net.MaxOpenRequests": "0"}}, "rejects this configuration"),
        ({"role": "consumer", "profile": "zstd"}, "a consumer writes nothing"),
        ({"broker": "seven"}, 'broker version "seven'),
    ],
)
def test_an_impossible_request_is_unsupported(built: tuple[str, Launch], fields: Given, reason: str) -> None:
    end = ending(built[1], **fields)
    assert end.kind == pb.UNSUPPORTED
    assert reason in end.text


@pytest.mark.real
def test_missing_brokers_are_fatal_with_the_library_s_error(built: tuple[str, Launch]) -> None:
    end = ending(built[1], properties={"Metadata.Retry.Max": "0"})
    assert (end.kind, end.error.code, end.error.type) == (pb.FATAL, -1, "ErrOutOfBrokers")


@pytest.mark.real
def test_a_driver_ends_with_its_standard_input(built: tuple[str, Launch]) -> None:
    async def play() -> int:
        async with driving(built[1]) as driver:
            assert driver.process is not None
            assert driver.process.stdin is not None
            driver.process.stdin.close()
            return await asyncio.wait_for(driver.process.wait(), LONGEST_S)

    assert asyncio.run(play()) == -signal.SIGKILL
