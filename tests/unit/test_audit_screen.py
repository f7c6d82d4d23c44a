"""A service of an audit has at most 40 lines: what does not fit is counted, and `--all` lists it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.cli.answers import audit
from probe.cli.answers.audit_screen import LEAST_LINES, MOST_LINES, Rank, Text, service_lines
from probe.cli.app import app
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT

MOST = 40
COLUMNS = (0, 100, 60)
INVENTORIES = {
    "go.mod": "module example.com/x\n\ngo 1.22\n\nrequire (\n\tgithub.com/IBM/sarama v1.42.1\n"
    "\tgithub.com/segmentio/kafka-go v0.4.47\n)\n",
    "package-lock.json": '{"name": "web", "lockfileVersion": 3, "packages": {"": {"name": "web"}, '
    '"node_modules/kafkajs": {"version": "2.2.4"}, "node_modules/node-rdkafka": {"version": "3.2.1"}}}',
    "requirements.txt": "kafka-python==2.0.2\nconfluent-kafka==2.6.1\naiokafka==0.8.0\n",
    "fleet.csv": "service,client,version\na,sarama,1.43.2\nb,spring-kafka,3.1.4\nc,confluent-kafka,2.6.1\n"
    "d,kafkajs,2.2.4\ne,camel-kafka,4.4.1\nf,github.com/segmentio/kafka-go,v0.4.47\n",
    "images.txt": "docker.elastic.co/beats/filebeat:8.16.1\ntelegraf:1.31.0\ntelegraf:1.31\n",
    "pom.xml": '<project xmlns="http://maven.apache.org/POM/4.0.0"><parent><groupId>org.springframework.boot</groupId>'
    "<artifactId>spring-boot-starter-parent</artifactId><version>3.2.4</version></parent><artifactId>shop</artifactId>"
    "<dependencies><dependency><groupId>org.springframework.kafka</groupId><artifactId>spring-kafka</artifactId>"
    "</dependency></dependencies></project>",
}


def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, columns: int, *more: str) -> list[str]:
    file = tmp_path / name
    file.write_text(INVENTORIES[name])
    monkeypatch.setattr(audit, "terminal_columns", lambda: columns)
    evidence = ["--evidence", str(built(TEXT)), "--results", str(tmp_path / "results"), "--max-age", "36500"]
    command = ["audit", str(file), *evidence, *more]
    return CliRunner().invoke(app, command).stdout.splitlines()


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("name", INVENTORIES)
def test_a_service_has_at_most_forty_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, columns: int
) -> None:
    found = lines(tmp_path, monkeypatch, name, columns)
    start = next(nth for nth, line in enumerate(found) if line.startswith("services, worst first"))
    services = {"fleet.csv": 6, "images.txt": 3}.get(name, 1)
    assert len(found) - start <= MOST * services
    assert "--all lists every cause with its evidence" in " ".join(" ".join(found).split())


def test_all_lists_the_evidence_and_what_was_folded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short, every = (lines(tmp_path, monkeypatch, "go.mod", 0, *more) for more in ((), ("--all",)))
    where = "stops: disk/storage-error (producer): it asks who serves now, and does not recover; mended in 1.43.3"
    cause = next((line for line in every if where in line), "\n".join(every))
    assert "producer disk/storage-error, profile defaults: stops; stuck in 1 trial: not recovered in" in cause
    assert re.search(r" days? old\), rules ", cause)
    assert "probe run --client sarama@1.42.1" in cause
    assert any(f"{where} (stuck in 1 trial)" in line for line in short)
    assert not any("probe run --client" in line for line in short)


def texts(rank: Rank, count: int) -> list[Text]:
    return [Text(rank, f"{rank.name} {nth}") for nth in range(count)]


def test_what_counts_most_stays_and_the_rest_is_counted() -> None:
    block = [*texts(Rank.ANSWER, 1), *texts(Rank.GRAVE, MOST_LINES), *texts(Rank.LESSER, 2), *texts(Rank.TO_DO, 1)]
    found = service_lines([("shop", block)], 0)
    assert len(found) == MOST_LINES
    assert (found[0], found[-2]) == ("shop: ANSWER 0", "shop: TO_DO 0")
    assert found[-1] == "shop: 3 more causes of work that stops or is lost and 2 more lines: --all"


def test_a_service_with_many_clients_shares_its_lines() -> None:
    few = ("few", texts(Rank.ANSWER, 2))
    found = service_lines([few, *((f"c{nth}", texts(Rank.GRAVE, 30)) for nth in range(3))], 0)
    assert len(found) <= MOST_LINES
    assert sum(line.startswith("few") for line in found) == 2
    assert all(f"c{nth}: GRAVE 0" in found for nth in range(3))
    crowd = service_lines([(f"c{nth}", texts(Rank.GRAVE, 30)) for nth in range(20)], 0)
    assert len(crowd) == 20 * LEAST_LINES


def test_what_fits_is_not_cut() -> None:
    assert service_lines([("a", texts(Rank.GRAVE, 3))], 0) == ["a: GRAVE 0", "a: GRAVE 1", "a: GRAVE 2"]
