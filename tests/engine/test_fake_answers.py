"""Cases of other projects' suites that pass on real brokers, played by the same clients on the fake."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import Family, Version, read_family
from probe.drivers.launch import Launch
from probe.drivers.sources import jar, wheel
from probe.toolchain import maven_jars
from probe.toolchain.java import compile_java
from probe.toolchain.pinned_jars import read_pins
from probe.toolchain.tools import cache_root
from tests.support.fake_brokers import brokers

pytestmark = pytest.mark.real

CLIENTS = Path(__file__).parents[2] / "clients"
SUPPORT = Path(__file__).parents[1] / "support"
LIBRDKAFKA, JAVA = "2.16.0", "4.4.0"
LINES = ("3.9", "4.4")
INVALID_TOPIC, FENCED = 17, -144
LIMIT_S = 60
TOPIC = "t"
PROGRAMS = ("AdminCalls", "CreateTopics")

FENCED_TRANSACTION = """
first, second = transactional(), transactional()
first.init_transactions(10)
first.begin_transaction()
first.produce(topic, b"1", partition=0, on_delivery=note)
first.flush(10)
second.init_transactions(10)
first.produce(topic, b"2", partition=0)  # the package raises a fatal error where it is polled next
try:
    first.flush(10)
    first.commit_transaction(10)
except KafkaException as error:
    found["fatal"], found["code"] = error.args[0].fatal(), error.args[0].code()
"""
"""0103_transactions.c, do_test_fenced_txn with a write after the fence."""
INVALID_NAME = """
producer = Producer({"bootstrap.servers": bootstrap})
for name in ("topic-with-a-:", "a b"):
    producer.produce(name, b"1", on_delivery=note)
found["left"] = producer.flush(10)
"""
"""0057_invalid_topic.c."""
FRAME = """
import json, sys
from confluent_kafka import KafkaException, Producer
bootstrap, topic = sys.argv[1:]
found = {"delivered": []}
def note(error, message):
    found["delivered"].append(error.code() if error else 0)
def transactional():
    return Producer({"bootstrap.servers": bootstrap, "transactional.id": "x", "linger.ms": 0})
"""


def client(family: str, version: str) -> tuple[Family, Version]:
    found = read_family(CLIENTS / family / "client.toml")
    known = found.find(version)
    assert known is not None
    return found, known


def run(argv: tuple[str, ...], line: str, env: dict[str, str] | None = None) -> str:
    """Run a program with the addresses of a fake cluster and a topic as arguments; return what it prints."""

    async def go() -> str:
        async with brokers(line) as fake:
            await fake.topic(TOPIC)
            whole = (*argv, ",".join(fake.bootstrap), TOPIC)
            done = await asyncio.to_thread(
                lambda: subprocess.run(
                    whole, capture_output=True, text=True, timeout=LIMIT_S, env=os.environ | (env or {}), check=False
                )
            )
            assert done.returncode == 0, done.stderr[-2000:]
            return done.stdout

    return asyncio.run(go())


def by_librdkafka(case: str, line: str) -> dict[str, Any]:
    launch = wheel.obtain(*client("librdkafka", LIBRDKAFKA), cache_root())
    script = f"{FRAME}{case}print(json.dumps(found))"
    said = run((sys.executable, "-c", script), line, {"PYTHONPATH": launch.argv[-1]})
    return dict(json.loads(said))


@pytest.mark.parametrize("line", LINES)
def test_a_fenced_transaction_is_fatal_for_librdkafka(line: str) -> None:
    assert by_librdkafka(FENCED_TRANSACTION, line) == {"delivered": [0], "fatal": True, "code": FENCED}


def test_librdkafka_reports_an_invalid_name_at_once() -> None:
    assert by_librdkafka(INVALID_NAME, "3.9") == {"delivered": [INVALID_TOPIC] * 2, "left": 0}


@pytest.fixture(scope="module")
def admin(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Return the command, without its last word, of the programs that use Kafka's own admin client."""
    launch: Launch = jar.obtain(*client("java", JAVA), cache_root())
    *java, path, _ = launch.argv
    classes, pins = tmp_path_factory.mktemp("classes"), read_pins()
    compile_java(
        [SUPPORT / f"{name}.java" for name in PROGRAMS],
        classes,
        classpath=[Path(item) for item in path.split(":")],
        ecj=lambda: maven_jars.fetch([pins.ecj], cache_root(), digests=pins.digests)[pins.ecj],
    )
    return (*java, f"{classes}:{path}")


@pytest.mark.parametrize(
    ("line", "sources"), [("3.9", "DEFAULT_CONFIG"), ("4.4", "DEFAULT_CONFIG, DYNAMIC_DEFAULT_BROKER_CONFIG")]
)
def test_javas_admin_reads_the_configurations_of_a_new_topic(line: str, sources: str, admin: tuple[str, ...]) -> None:
    assert run((*admin, "CreateTopics"), line).splitlines() == [
        f"plain: 2 partitions, 3 replicas, [{sources}], retention.ms=604800000 of DEFAULT_CONFIG",
        f"set: 1 partitions, 3 replicas, [{sources}, DYNAMIC_TOPIC_CONFIG], retention.ms=77 of DYNAMIC_TOPIC_CONFIG",
        "unknown: InvalidConfigurationException",
        "a b: InvalidTopicException",
    ]


@pytest.mark.parametrize("line", LINES)
def test_calls_of_kafkas_tools_end_as_on_real_brokers(line: str, admin: tuple[str, ...]) -> None:
    """Read on 3.9.2 and 4.4.0, where the reassignment is still under way when it is asked about."""
    assert run((*admin, "AdminCalls"), line).splitlines() == [
        "cluster id: 22 characters",
        "create: null",
        "describe: leader 3 of [3, 1], eligible []",
        "elect: ElectionNotNeededException",
        "reassign: null",
        "under way: {}",
        "describe: leader 2 of [2, 1], eligible []",
        "producers: []",
        "client metrics: []",
        "acls: SecurityDisabledException",
    ]
