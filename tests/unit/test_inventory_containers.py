"""Compose files, Kubernetes in YAML, `docker ps`, and members of consumer groups."""

from __future__ import annotations

import json

import pytest

from tests.support.inventories import SAMPLES, only, read, shown

COMPOSE = "services:\n  a:\n    image: {}\n"
POD = "apiVersion: v1\nkind: {}\nmetadata:\n  name: a\nspec:\n  containers:\n  - image: telegraf:1.31.3\n"
HEADER = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS\n"


@pytest.mark.parametrize(
    ("image", "selector", "unknown"),
    [
        ("telegraf:1.31.3-alpine", "telegraf@1.31.3", ""),
        ("telegraf:latest", "", "the tag latest names no release"),
        ('"telegraf:${TAG:-1.31.3}"', "", "the environment fills in its tag"),
        ('"${REGISTRY}/telegraf:1.31.3"', "telegraf@1.31.3", ""),
        ('"${IMAGE}"', "", None),
    ],
)
def test_an_image_of_a_service(image: str, selector: str, unknown: str | None) -> None:
    reading = read(COMPOSE.format(image), "compose.yaml")
    found = [(item.selector, item.unknown) for item in reading.found]
    assert found == ([] if unknown is None else [(selector, unknown)])


def test_aliases_of_compose_cost_nothing_and_hide_nothing() -> None:
    text = "x-a: &a\n  image: telegraf:1.31.3\nservices:\n  b:\n    <<: *a\n  c:\n    image: telegraf:1.36.4\n"
    assert shown(read(text, "compose.yaml")) == [("c", "telegraf@1.36.4", "")]


def test_pods_cron_jobs_and_lists_are_read() -> None:
    assert only(read(POD.format("Pod"), "a.yaml")).selector == "telegraf@1.31.3"
    inner = "\n".join(f"  {line}" for line in POD.format("Pod").splitlines())
    listed = f"apiVersion: v1\nkind: List\nitems:\n-{inner[1:]}\n"
    assert only(read(listed, "a.yaml")).selector == "telegraf@1.31.3"
    cron = read(SAMPLES.joinpath("kubectl-create.yaml").read_bytes(), "a.yaml").found
    assert [(item.service, item.count) for item in cron] == [("metrics", 3), ("ship", 1)]


def test_a_template_of_helm_is_named_as_such() -> None:
    text = POD.format("Pod").replace("telegraf:1.31.3", "{{ .Values.image }}:{{ .Values.tag }}") + "{{- end }}\n"
    assert "helm template" in read(text, "a.yaml").problem


def test_what_docker_compose_ps_prints_is_read() -> None:
    table = "NAME        IMAGE             COMMAND   SERVICE   CREATED   STATUS    PORTS\n"
    table += 'shop-m-1    telegraf:1.31.3   "x y"     metrics   1 h ago   Up 1 h    8092/udp\n'
    assert shown(read(table)) == [("metrics", "telegraf@1.31.3", "")]
    rows = [{"Name": "shop-m-1", "Image": "telegraf:1.31.3", "Service": "metrics", "State": "running"}]
    assert shown(read(json.dumps(rows))) == [("metrics", "telegraf@1.31.3", "")]


@pytest.mark.parametrize("text", ['{"Image": "a:1", "Names": "x", "State": "running"}\n{"Image', "[1, 2]"])
def test_broken_lists_of_containers_are_one_line(text: str) -> None:
    reading = read(text, "docker.json")
    assert (reading.problem != "", "\n" in reading.problem) == (True, False)


def test_a_client_that_read_partitions_counts_once() -> None:
    text = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
    text += "".join(f"shop orders {number} 1 1 0 rdkafka-1 /10.0.0.1 rdkafka\n" for number in range(3))
    text += "shop orders 3 1 1 0 - - -\n"
    found = only(read(text))
    assert (found.client, found.version, found.count, found.service) == ("librdkafka", "", 1, "shop")


@pytest.mark.parametrize(
    ("client_id", "client"),
    [
        ("sarama", "sarama"),
        ("kgo", "franz-go"),
        ("Telegraf", "telegraf"),
        ("aiokafka-0.14.0", "aiokafka"),
        ("consumer-shop-12", "java"),
        ("consumer-other-12", ""),
        ("connector-consumer-sink-0", "kafka-connect"),
        ("app-3f-StreamThread-1-consumer", "kafka-streams"),
        ("my-rdkafka", ""),
    ],
)
def test_only_default_client_ids_name_a_library(client_id: str, client: str) -> None:
    reading = read(f"{HEADER}shop member-1 /10.0.0.1 {client_id} 3\n")
    assert [item.client for item in reading.found] == ([client] if client else [])
    assert bool(reading.skipped) == (not client)
