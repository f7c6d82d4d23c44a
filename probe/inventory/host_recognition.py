"""Recognition of inventories of what runs or lies on a host, by the beginning of a file. Pure, no libraries."""

from __future__ import annotations

import re

from probe.inventory.document import Head
from probe.inventory.images import is_image
from probe.inventory.packages import packages
from probe.inventory.programs import PROGRAMS
from probe.inventory.recognition import LOOKED_AT, content

ABOUT_METRIC = r"(?m)^# (?:HELP|TYPE|UNIT) [A-Za-z_:]"
SAMPLE = r'[A-Za-z_:][\w:]*\{[^}\n]*="[^}\n]*\} '
REQUEST = "Completed request:"
IMAGE_TABLE = r"(?:REPOSITORY|IMAGE) +TAG +(?:IMAGE ID|DIGEST)"
"""Header of `docker images`, `podman images`, `nerdctl images` and `crictl images`."""
KUBERNETES = r'"apiVersion"\s*:\s*"'
KIND = r'"kind"\s*:\s*"(?:Pod|Deployment|StatefulSet|DaemonSet|ReplicaSet|Job|CronJob)?(?:List)?"'
WORKLOAD = r"Pod|Deployment|StatefulSet|DaemonSet|ReplicaSet|Job|CronJob"
KUBERNETES_YAML = r"(?m)^apiVersion:"
KIND_YAML = rf"(?m)^(?:kind:|-[ \t]+kind:|[ \t]+kind:)[ \t]*['\"]?(?:{WORKLOAD})(?:List)?['\"]?[ \t]*\r?$"
SERVICES = r"(?m)^services:[ \t]*\r?$"
SERVICE_IMAGE = r"(?m)^[ \t]+(?:image|build):"
PS_TABLE = r"(?:CONTAINER ID|NAME) +IMAGE +COMMAND"
"""Header of `docker ps`, `podman ps` and `docker compose ps`."""
PS_JSON = r'\s*\[?\s*\{[^{}]{0,20000}"Image"\s*:\s*"'
PS_NAME = r'"(?:Names?|Service)"\s*:\s*"'
PS_STATE = r'"(?:State|Status)"\s*:\s*"'
MEMBERS = r"(?:GROUP|TOPIC) +[^\n]*\bCLIENT-ID\b"
"""Header of `kafka-consumer-groups.sh --describe`, with and without `--members`."""
BEATS = r"(?m)^output\.kafka\b"
OUTPUT = r"(?m)^output:"
KAFKA = r"(?m)^[ \t]+kafka:"
COLLECTOR = r"(?m)^exporters:"
KAFKA_EXPORTER = r"(?m)^[ \t]+['\"]?kafka(?:/[\w.-]+)?['\"]?:"
TELEGRAF = r"(?m)^[ \t]*\[\[(?:outputs\.kafka|inputs\.kafka_consumer)\]\]"
ARCHIVE = b"PK\x03\x04"
JARS = (".jar", ".war", ".ear", ".zip")
LIBRARY = r"(?:lib)?rdkafka[^/+]*\.(?:so(?:\.\d+)*|dylib|dll)"
SHARED = r".*\.(?:so(?:\.\d+)*|dylib|dll|o|a)"
NPM_NAME = r'"name"\s*:\s*"([^"]*)"'


def prometheus(head: Head) -> bool:
    """Return whether there are comments of the Prometheus text format, or the first line is a sample."""
    return re.search(ABOUT_METRIC, head.text[:4096]) is not None or re.match(SAMPLE, head.text[:4096]) is not None


def request_log(head: Head) -> bool:
    """Return whether a line says that a broker completed a request."""
    return REQUEST in head.text


def image_list(head: Head) -> bool:
    """Return whether it is a table of images, or all words of the first lines are images' names."""
    if re.match(IMAGE_TABLE, head.text.lstrip()):
        return True
    lines = list(content(head))[:LOOKED_AT]
    words = [word for line in lines for word in line.removeprefix("- ").split()]
    whole = words if head.whole else words[:-1]
    return bool(whole) and all(is_image(word) for word in whole)


def kubernetes(head: Head) -> bool:
    """Return whether it is JSON of Kubernetes: a list, a pod, or what makes pods."""
    start = head.text.lstrip()
    return start.startswith("{") and re.search(KUBERNETES, start) is not None and re.search(KIND, start) is not None


def kubernetes_yaml(head: Head) -> bool:
    """Return whether it is YAML of Kubernetes with something that makes pods; of a long one, whether it can have it."""
    is_kubernetes = re.search(KUBERNETES_YAML, head.text) is not None
    return is_kubernetes and (not head.whole or re.search(KIND_YAML, head.text) is not None)


def compose(head: Head) -> bool:
    """Return whether it is YAML with services, one of which has an image or is built."""
    return re.search(SERVICES, head.text) is not None and re.search(SERVICE_IMAGE, head.text) is not None


def docker_ps(head: Head) -> bool:
    """Return whether it is a table of containers, or begins with the JSON of one."""
    if re.match(PS_TABLE, head.text.lstrip()):
        return True
    first = head.text[:20_000]
    return (
        re.match(PS_JSON, first) is not None
        and re.search(PS_NAME, first) is not None
        and re.search(PS_STATE, first) is not None
    )


def group_members(head: Head) -> bool:
    """Return whether a line is the header of a table of consumer groups with client ids."""
    return re.search(rf"(?m)^{MEMBERS}", head.text) is not None


def beats(head: Head) -> bool:
    """Return whether it is YAML with the key `output.kafka`, in one line or two."""
    if re.search(BEATS, head.text) is not None:
        return True
    return re.search(OUTPUT, head.text) is not None and re.search(KAFKA, head.text) is not None


def otel_collector(head: Head) -> bool:
    """Return whether it is YAML with exporters, one of them Kafka's."""
    return re.search(COLLECTOR, head.text) is not None and re.search(KAFKA_EXPORTER, head.text) is not None


def telegraf(head: Head) -> bool:
    """Return whether it has a table of one of Telegraf's Kafka plugins."""
    return re.search(TELEGRAF, head.text) is not None


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
    return "node_modules/" in f"/{head.name}" and any(name in names for name in re.findall(NPM_NAME, head.text))


def librdkafka(head: Head) -> bool:
    """Return whether it is the shared library by its name; that of a wheel is read with its package."""
    of_a_wheel = "confluent_kafka" in head.name
    return head.data.startswith(PROGRAMS) and re.fullmatch(LIBRARY, head.file) is not None and not of_a_wheel


def program(head: Head) -> bool:
    """Return whether it is a program, and no shared library."""
    return head.data.startswith(PROGRAMS) and re.fullmatch(SHARED, head.file) is None
