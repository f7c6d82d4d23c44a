"""A driver that breaks its contract in one of several ways: `odd_driver.py WAY --connect HOST:PORT --token TOKEN`."""

from __future__ import annotations

import os
import queue
import random
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

import grpc  # noqa: E402  # the path is set above

from probe.driver_contract import driver_pb2 as pb  # noqa: E402  # as above
from probe.driver_contract import driver_pb2_grpc  # noqa: E402  # as above

FOREVER_S = 3600
FLOOD = 2_000
"""Messages of a flood, of 256 events each."""
VERSION = os.environ.get("ODD_VERSION", "1.43.3")
Messages = Iterator[pb.FromDriver]


def hello(token: str) -> pb.FromDriver:
    """Return the first message of a good driver."""
    about = pb.Hello(token=token, family="sarama", version=VERSION, runtime="go1.26", roles=["producer"])
    about.profiles.extend(["isolated", "defaults"])
    return pb.FromDriver(hello=about)


def event(instance: str, kind: int, **more: int) -> pb.Event:
    """Return an event with the time of this process."""
    return pb.Event(instance=instance, kind=kind, clock_us=time.monotonic_ns() // 1000, **more)  # type: ignore[arg-type]  # an enum's number


def ready(instance: str) -> pb.FromDriver:
    """Return the first event of an instance."""
    settings = {"acks": "all", "retry_backoff_ms": "100", "refresh_ms": "600000"}
    one = event(instance, pb.READY)
    one.settings.update(settings)
    return pb.FromDriver(events=pb.Events(events=[one]))


def flood(instance: str) -> Messages:
    """Report far more than was asked for, as fast as the stream takes it."""
    yield ready(instance)
    for nth in range(FLOOD):
        many = [event(instance, pb.NOTICE, sequence=nth * 256 + one) for one in range(256)]
        for one in many:
            one.text = "x" * 200
        yield pb.FromDriver(events=pb.Events(events=many))


def lies(instance: str) -> Messages:
    """Report acknowledgements of records that were never sent."""
    yield ready(instance)
    for nth in range(200):
        pair = [event(instance, kind, partition=0, sequence=nth, offset=nth) for kind in (pb.SENT, pb.ACKED)]
        yield pb.FromDriver(events=pb.Events(events=pair))
        time.sleep(0.1)


def nonsense(instance: str) -> Messages:
    """Send events of every kind with numbers and texts that fit nothing."""
    rng = random.Random(os.getpid())
    edges = (-(2**63), -1, 0, 7, 2**31, 2**63 - 1)
    yield ready(instance)
    for _ in range(300):
        one = pb.Event(instance=rng.choice((instance, "", "nobody")), kind=rng.choice(pb.Kind.values()))
        one.clock_us, one.sequence, one.offset = (rng.choice(edges) for _ in range(3))
        one.partition, one.value = rng.choice((-1, 0, 99, 2**31 - 1)), rng.choice(("", "a b", "i 0 0 0", "\0" * 99))
        one.error.code, one.error.text = rng.choice((-1, 0, 3, 99_999)), "\n\x1b[31m" * 9
        yield pb.FromDriver(events=pb.Events(events=[one]))
    yield pb.FromDriver()


def quiet(instance: str) -> Messages:
    """Be ready, and do nothing."""
    yield ready(instance)


def mute(_: str) -> Messages:
    """Answer pings, and never be ready."""
    return iter(())


STARTS: Mapping[str, Callable[[str], Messages]] = {
    "flood": flood,
    "lies": lies,
    "nonsense": nonsense,
    "quiet": quiet,
    "mute": mute,
}


def attach(address: str, token: str, way: str) -> None:
    """Serve a stream in one of the ways of `STARTS`, or end after the first start (`gone`), or be deaf to pings."""
    outbox: queue.Queue[pb.FromDriver] = queue.Queue(100)
    outbox.put(hello(token if way != "stranger" else "nobody"))
    options = (("grpc.enable_http_proxy", 0),)
    with grpc.insecure_channel(address, options=options) as channel:
        for message in driver_pb2_grpc.OrchestratorStub(channel).Attach(iter(outbox.get, None)):
            kind = message.WhichOneof("message")
            if kind == "ping" and way != "deaf":
                outbox.put(pb.FromDriver(pong=pb.Pong(id=message.ping.id, clock_us=time.monotonic_ns() // 1000)))
            if kind == "start" and way == "gone":
                os._exit(0)
            if kind == "start" and way in STARTS:
                for one in STARTS[way](message.start.instance):
                    outbox.put(one)


def noise() -> None:
    """Fill both streams with lines without an end."""
    for stream in (sys.stdout.buffer, sys.stderr.buffer):
        for _ in range(64):
            stream.write(os.urandom(1 << 16).replace(b"\n", b"x"))
        stream.flush()
    time.sleep(FOREVER_S)


def garbage(address: str) -> None:
    """Write random bytes to the port of the orchestrator."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port))) as line:
        for _ in range(100):
            line.sendall(os.urandom(4096))
    time.sleep(FOREVER_S)


OTHERS: Mapping[str, Callable[[str], object]] = {
    "ends": lambda _: os._exit(0),
    "fails": lambda _: os._exit(9),
    "silent": lambda _: time.sleep(FOREVER_S),
    "noise": lambda _: noise(),
    "garbage": garbage,
}
STREAMS = (*STARTS, "gone", "deaf", "stranger")
WAYS = (*STREAMS, *OTHERS)


def main() -> None:
    """Misbehave in the way that the first argument names."""
    way, arguments = sys.argv[1], sys.argv[2:]
    address, token = (arguments[arguments.index(name) + 1] for name in ("--connect", "--token"))
    if way in OTHERS:
        OTHERS[way](address)
    else:
        attach(address, token, way)


if __name__ == "__main__":
    main()
