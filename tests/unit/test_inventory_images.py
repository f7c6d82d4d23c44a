"""Container images and pods: the applications with a Kafka client, and nothing else of what stands there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.apps_file import read_apps
from probe.catalogue.families import read_families
from probe.inventory.entries import FileContent, Found, Place
from probe.inventory.images import images, in_image, is_image
from tests.support.inventories import SAMPLES, only, read

ROOT = Path(__file__).parents[2]
DIGEST = "@sha256:" + "0" * 64
PODS = (SAMPLES / "kubectl-get-pods.json").read_text()


def everything(reading: FileContent) -> str:
    """Return all text that a reading holds."""
    return repr(reading)


def inside(name: str) -> list[str]:
    return [item.selector or item.unknown for item in in_image(name, place=Place("here"))]


@pytest.mark.parametrize(
    ("name", "clients"),
    [
        ("docker.elastic.co/beats/filebeat:8.16.1", ["filebeat@8.16.1"]),
        (f"docker.elastic.co/beats/metricbeat:8.16.1{DIGEST}", ["metricbeat@8.16.1"]),
        ("edenhill/kcat:1.7.1", ["kcat@1.7.1-1.8.2"]),
        ("edenhill/kcat:1.6.0", ["which library is inside 1.6.0 is not known"]),
        ("telegraf:1.31.1-alpine", ["telegraf@1.31.1"]),
        ("docker.io/library/telegraf:v1.31.1", ["telegraf@1.31.1"]),
        ("registry.example:5000/mirror/jaeger-collector:1.50.0", ["jaeger@1.50.0"]),
        ("otel/opentelemetry-collector-contrib:0.100.0", ["opentelemetry-collector@0.100.0"]),
        ("otel/opentelemetry-collector-contrib:0.132.0", ["opentelemetry-collector@0.132.0"]),
        ("otel/opentelemetry-collector-contrib:0.140.1", ["opentelemetry-collector@0.140.1"]),
        ("jeffail/benthos:4.20.0", ["benthos@4.20.0", "benthos-franz@4.20.0"]),
        ("debezium/connect:2.7.3.Final", ["debezium@2.7.3.Final"]),
        ("quay.io/strimzi/kafka:0.43.0-kafka-3.8.0", ["kafka-connect@3.8.0"]),
        ("telegraf:latest", ["the tag latest names no release"]),
        ("telegraf:1.31", ["the tag 1.31 names no release"]),
        ("docker.elastic.co/beats/filebeat:9.0.0-rc1", ["the tag 9.0.0-rc1 names no release"]),
        (f"telegraf{DIGEST}", ["the image is named without a tag"]),
        ("nginx:1.27.2", []),
        ("example/connect:4.33.0", []),
    ],
)
def test_an_image_is_an_application_in_a_version(name: str, clients: list[str]) -> None:
    assert inside(name) == clients


@pytest.mark.parametrize(
    "text", ["localhost:9092", "key: value", "https://a.example/b:c", "a", "A/B:1", "a:b:c", "/a:1"]
)
def test_other_texts_are_no_images(text: str) -> None:
    assert not is_image(text)


def test_every_client_of_the_table_is_in_the_catalogue() -> None:
    families = read_families(ROOT / "clients")
    known = {*families, *read_apps(ROOT / "probe" / "catalogue" / "data" / "apps.toml", families)}
    assert {item.client for image in images().values() for item in image.clients} <= known


def test_a_list_of_images_is_counted() -> None:
    reading = read((SAMPLES / "kubectl-images.txt").read_text(), "kubectl-images.txt")
    assert reading.taken_for == "list of images"
    assert [(item.shown, item.count) for item in reading.found] == [
        ("filebeat@8.16.1", 1),
        ("telegraf@1.31.1", 2),
        ("opentelemetry-collector@0.150.0", 1),
        ("filebeat@7.17.0", 1),
        ("kafka-connect@3.8.0", 2),
        ("telegraf:latest", 1),
    ]
    assert [str(item) for item in reading.skipped] == [
        "1 image: no application with a Kafka client is known to be inside"
    ]


def test_a_table_of_images_is_read() -> None:
    text = "REPOSITORY   TAG             IMAGE ID       CREATED       SIZE\n"
    text += "telegraf     1.31.1-alpine   0123456789ab   2 weeks ago   200MB\n"
    text += "<none>       <none>          0123456789ab   3 days ago    1MB\n"
    found = only(read(text, "images.txt"))
    assert (found.selector, str(found.place)) == ("telegraf@1.31.1", "images.txt, line 2")


def of_pods(text: str = PODS) -> dict[str, tuple[str, int]]:
    reading = read(text, "pods.json")
    assert reading.taken_for == "pods of Kubernetes"
    return {item.service: (item.shown, item.count) for item in reading.found}


def test_pods_are_counted_by_what_owns_them() -> None:
    assert of_pods() == {
        "shop/filebeat-x": ("filebeat@8.16.1", 1),
        "shop/metrics": ("telegraf@1.31.1", 2),
        "shop/traces-0": ("opentelemetry-collector@0.150.0", 1),
        "shop/orders-connect-0": ("kafka-connect@3.8.0", 1),
        "shop/logs-latest": ("telegraf:latest", 1),
    }


def test_pods_that_ended_and_brokers_are_no_clients() -> None:
    reading = read(PODS, "pods.json")
    assert "1 pod: they have ended" in map(str, reading.skipped)
    assert "orders-kafka-0" in PODS
    assert "orders-kafka-0" not in everything(reading)


def test_nothing_secret_of_a_pod_is_kept() -> None:
    """Variables, arguments and annotations of the sample hold texts that begin with SECRET."""
    assert {"SECRET-variable", "SECRET-argument", "SECRET-annotation"} <= set(PODS.replace("=", '"').split('"'))
    assert "SECRET" not in everything(read(PODS, "pods.json"))
    broken = read(PODS[:-200], "pods.json")
    assert broken.problem
    assert "SECRET" not in everything(broken)


def test_what_makes_pods_counts_its_replicas() -> None:
    template = {"spec": {"containers": [{"image": "telegraf:1.31.1"}]}}
    deployment = {"kind": "Deployment", "metadata": {"name": "a"}, "spec": {"replicas": 3, "template": template}}
    job = {"kind": "CronJob", "metadata": {"name": "b"}, "spec": {"jobTemplate": {"spec": {"template": template}}}}
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [deployment, job]})
    assert of_pods(text) == {"a": ("telegraf@1.31.1", 3), "b": ("telegraf@1.31.1", 1)}


def test_a_single_pod_is_read() -> None:
    assert list(of_pods(json.dumps(json.loads(PODS)["items"][0]))) == ["shop/filebeat-x"]


@pytest.mark.parametrize(
    "odd",
    [
        {"items": [None, 1, "a", [], {}]},
        {"items": [{"kind": "Pod", "spec": {"containers": {"image": "telegraf:1.31.1"}}}]},
        {"items": [{"kind": "Pod", "spec": {"containers": [None, [], {"image": ["telegraf:1.31.1"]}]}}]},
        {
            "items": [
                {"kind": "Pod", "metadata": [], "status": 3, "spec": {"replicas": True, "containers": [{"image": 1}]}}
            ]
        },
        {"items": {"kind": "Pod"}},
    ],
)
def test_odd_objects_are_no_clients(odd: dict[str, Any]) -> None:
    found = read(json.dumps({"apiVersion": "v1", "kind": "List", **odd}), "pods.json").found
    assert [item for item in found if isinstance(item, Found)] == []


def test_deep_objects_are_refused() -> None:
    text = '{"apiVersion": "v1", "kind": "List", "items": ' + "[" * 100_000
    assert read(text, "pods.json").problem == "its values are nested too deeply; correct the file"
