"""How inventories of what runs or lies on a host are recognised by the beginning of a file. Pure, no libraries."""

from __future__ import annotations

import re

from probe.inventory.document import Head
from probe.inventory.images import is_image
from probe.inventory.packages import packages
from probe.inventory.programs import PROGRAMS
from probe.inventory.recognise import LOOKED_AT, content

ABOUT_METRIC = re.compile(r"^# (?:HELP|TYPE|UNIT) [A-Za-z_:]", re.MULTILINE)
SAMPLE = re.compile(r'[A-Za-z_:][\w:]*\{[^}\n]*="[^}\n]*\} ')
REQUEST = "Completed request:"
IMAGE_TABLE = re.compile(r"(?:REPOSITORY|IMAGE) +TAG +(?:IMAGE ID|DIGEST)")
"""Header of `docker images`, `podman images`, `nerdctl images` and `crictl images`."""
KUBERNETES = re.compile(r'"apiVersion"\s*:\s*"')
KIND = re.compile(r'"kind"\s*:\s*"(?:Pod|Deployment|StatefulSet|DaemonSet|ReplicaSet|Job|CronJob)?(?:List)?"')
BEATS = re.compile(r"^output\.kafka\b", re.MULTILINE)
OUTPUT, KAFKA = re.compile(r"^output:", re.MULTILINE), re.compile(r"^[ \t]+kafka:", re.MULTILINE)
COLLECTOR = re.compile(r"^exporters:", re.MULTILINE)
KAFKA_EXPORTER = re.compile(r"^[ \t]+['\"]?kafka(?:/[\w.-]+)?['\"]?:", re.MULTILINE)
TELEGRAF = re.compile(r"^[ \t]*\[\[(?:outputs\.kafka|inputs\.kafka_consumer)\]\]", re.MULTILINE)
ARCHIVE = b"PK\x03\x04"
JARS = (".jar", ".war", ".ear", ".zip")
LIBRARY = re.compile(r"(?:lib)?rdkafka[^/+]*\.(?:so(?:\.\d+)*|dylib|dll)")
SHARED = re.compile(r".*\.(?:so(?:\.\d+)*|dylib|dll|o|a)")
NPM_NAME = re.compile(r'"name"\s*:\s*"([^"]*)"')


def prometheus(head: Head) -> bool:
    """Return whether there are comments of the Prometheus text format, or the first line is a sample."""
    return ABOUT_METRIC.search(head.text[:4096]) is not None or SAMPLE.match(head.text[:4096]) is not None


def request_log(head: Head) -> bool:
    """Return whether a line says that a broker completed a request."""
    return REQUEST in head.text


def image_list(head: Head) -> bool:
    """Return whether it is a table of images, or all words of the first lines are images' names."""
    if IMAGE_TABLE.match(head.text.lstrip()):
        return True
    lines = list(content(head))[:LOOKED_AT]
    words = [word for line in lines for word in line.removeprefix("- ").split()]
    whole = words if head.whole else words[:-1]
    return bool(whole) and all(is_image(word) for word in whole)


def kubernetes(head: Head) -> bool:
    """Return whether it is JSON of Kubernetes: a list, a pod, or what makes pods."""
    start = head.text.lstrip()
    return start.startswith("{") and KUBERNETES.search(start) is not None and KIND.search(start) is not None


def beats(head: Head) -> bool:
    """Return whether it is YAML with the key `output.kafka`, in one line or two."""
    if BEATS.search(head.text) is not None:
        return True
    return OUTPUT.search(head.text) is not None and KAFKA.search(head.text) is not None


def otel_collector(head: Head) -> bool:
    """Return whether it is YAML with exporters, one of them Kafka's."""
    return COLLECTOR.search(head.text) is not None and KAFKA_EXPORTER.search(head.text) is not None


def telegraf(head: Head) -> bool:
    """Return whether it has a table of one of Telegraf's Kafka plugins."""
    return TELEGRAF.search(head.text) is not None


def jar(head: Head) -> bool:
    """Return whether it is a zip archive with the name of a jar, or without an ending."""
    return head.data.startswith(ARCHIVE) and (head.file.endswith(JARS) or "." not in head.file)


def python_package(head: Head) -> bool:
    """Return whether it is the metadata of a Python package."""
    return head.text.startswith("Metadata-Version:")


def node_package(head: Head) -> bool:
    """Return whether it is the package.json of a client in `node_modules`."""
    if head.file != "package.json" or not head.text.lstrip().startswith("{"):
        return False
    names = {name for kind, name in packages() if kind == "npm"}
    return "node_modules/" in f"/{head.name}" and any(name in names for name in NPM_NAME.findall(head.text))


def librdkafka(head: Head) -> bool:
    """Return whether it is the shared library by its name; that of a wheel is read with its package."""
    of_a_wheel = "confluent_kafka" in head.name
    return LIBRARY.fullmatch(head.file) is not None and head.data.startswith(PROGRAMS) and not of_a_wheel


def program(head: Head) -> bool:
    """Return whether it is a program, and no shared library."""
    return head.data.startswith(PROGRAMS) and SHARED.fullmatch(head.file) is None
