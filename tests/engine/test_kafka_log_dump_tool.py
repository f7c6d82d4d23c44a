"""Kafka's dump tool: its files, the releases that have it, its failures, and what its output is compared with."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import pytest

from probe.engines.kafka.admin.read_back import Brokers
from probe.engines.kafka.checks import log_dump_tool
from probe.engines.kafka.checks.log_comparison import Found, Report
from probe.engines.kafka.checks.log_dump_tool import Place
from probe.engines.kafka.cluster.release import Release
from probe.engines.kafka.cohort import member as cohort_member
from probe.engines.kafka.cohort.member import CohortMember
from probe.errors import EngineError
from probe.model import ClusterHistory, Stored
from probe.ports import ReadBack
from tests.support.scripted_kafka import Cluster, subject


class TestFiles:
    def test_all_replicas_and_non_empty_indexes_are_listed(self, tmp_path: Path) -> None:
        for node, folder in ((1, "t-0"), (1, "t-1"), (2, "t-0"), (3, "t-0"), (2, "t-two-0")):
            where = tmp_path / str(node) / "d1" / folder
            where.mkdir(parents=True)
            (where / "00.log").write_bytes(b"x" * 10 * node)
            (where / "00.index").write_bytes(bytes(8) if node == 2 else bytes(3) + b"\1")
            (where / "leader-epoch-checkpoint").touch()
        log_dirs = {node: [tmp_path / str(node) / name for name in ("d0", "d1")] for node in (1, 2, 3)}
        found = log_dump_tool.files_of(Place("t", log_dirs, {0: (1, 2), 1: (1,)}))
        names = {key: [Path(file).name for file in files] for key, files in found.items()}
        assert names == {(1, 0): ["00.index", "00.log"], (1, 1): ["00.index", "00.log"], (2, 0): ["00.log"]}
        assert not log_dump_tool.are_alike(found)
        assert log_dump_tool.are_alike({key: files for key, files in found.items() if key[0] == 1})

    def test_a_missing_replica_is_an_error(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(log_dump_tool, "ALIKE_S", 0.2)
        release = Release(version="3.4.1", line="3.4", kraft=False, jars=(), java=Path(sys.executable))
        with pytest.raises(EngineError, match="broker 1 has no log of t-0"):
            asyncio.run(log_dump_tool.check(release, Place("t", {1: [tmp_path]}, {0: (1,)}), Found(())))

    @pytest.mark.parametrize(
        ("version", "names", "reason"),
        [
            ("3.4.1", ["kafka/tools/DumpLogSegments.class"], ""),
            ("4.9.0", ["org/apache/kafka/tools/DumpLogSegments.class"], "is not among its classes"),
            ("1.1.1", ["kafka/tools/DumpLogSegments.class"], "from Kafka 2.6 on"),
        ],
    )
    def test_a_missing_or_older_tool_is_reported(
        self, version: str, names: Sequence[str], reason: str, tmp_path: Path
    ) -> None:
        jar = tmp_path / f"kafka_2.13-{version}.jar"
        with ZipFile(jar, "w") as made:
            for name in names:
                made.writestr(name, "")
        release = Release(version=version, line="?", kraft=False, jars=(jar,), java=Path(sys.executable))
        found = log_dump_tool.unavailable_reason(release)
        assert reason in found
        assert bool(found) is bool(reason)

    def test_a_failure_of_the_tool_is_an_error(self, tmp_path: Path) -> None:
        java = tmp_path / "java"
        java.write_text("#!/bin/sh\necho Exception: no such class >&2\nexit 3\n")
        java.chmod(0o755)
        release = Release(version="3.4.1", line="3.4", kraft=False, jars=(), java=java)
        with pytest.raises(EngineError, match="exit code 3: Exception: no such class"):
            asyncio.run(log_dump_tool.dump(release, ["/x.log"]))


HISTORY = ClusterHistory(starts={0: 7, 1: 7}, ends={0: 24, 1: 24})


@pytest.fixture
def member(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CohortMember:
    """Return a trial's member whose fault dumps logs; leaders say that both logs start at 7."""

    async def log_starts(_: Brokers, __: str, partitions: Sequence[int]) -> dict[int, int]:
        return dict.fromkeys(partitions, 7)

    async def read_back(*_: object) -> ReadBack:
        return ReadBack(STORED, {})

    monkeypatch.setattr(cohort_member, "log_starts", log_starts)
    monkeypatch.setattr(cohort_member, "read_back", read_back)
    monkeypatch.setattr(log_dump_tool, "unavailable_reason", lambda _: "")
    cluster: Any = Cluster(tmp_path)
    cluster.release = Release(version="3.9.2", line="3.9", kraft=True, jars=(), java=Path(sys.executable))
    cohort: Any = SimpleNamespace(cluster=cluster, producer=Producer(), dumping=asyncio.Lock())
    found = CohortMember(cohort, 0)
    found._subject, found._dumped = replace(subject(), history=HISTORY), True
    return found


class Producer:
    async def stop(self, topic: str) -> None:
        assert topic == subject().topic


STORED = (Stored(0, 24, "me", 0),)


class TestMember:
    """A trial's member compares dumped logs with what was read above the log start offsets."""

    @pytest.mark.parametrize(
        ("reports", "is_broken"), [([()], False), ([("late",), ()], False), ([("late",), ("lost",)], True)]
    )
    def test_log_starts_and_deletions_reach_the_comparison(
        self, member: CohortMember, reports: list[tuple[str, ...]], is_broken: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        left, asked = iter(reports), []

        async def check(_: Release, place: Place, read: Found) -> Report:
            asked.append((place.deleted, read))
            return Report("dumped", next(left))

        monkeypatch.setattr(log_dump_tool, "check", check)
        with pytest.raises(EngineError, match=r": lost$") if is_broken else nullcontext():
            assert asyncio.run(member.read_back()).stored == STORED
        assert asked == [(HISTORY.starts, Found(STORED, {0: 7, 1: 7}))] * len(reports)
