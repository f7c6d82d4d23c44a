"""Compare the relay with a direct connection and, if available, Toxiproxy: added latency and requests per second.

    python benchmarks/relay.py [--seconds N] [--connections N] [--no-toxiproxy] [--asyncio]

All are measured in one run, in turn, in several rounds: compare the ratios, not the numbers. Latency is that of one
connection at 200 requests per second, with an event per frame. One broker answers at once, so that decoding in the
relay would delay the answer; one takes a millisecond, which is realistic. Requests per second are measured over many
connections without pauses, where the relay folds events, for a second: after two seconds it delays a storm's answers.
Client and broker are one small Go program (wire.go). Decoding alone is timed with recorded bytes of real clients.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import uvloop

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.model.endpoint import Endpoint  # the checkout's own
from probe.protocol.conversation import Conversation
from probe.protocol.fold import LASTING
from probe.protocol.schemas import Schemas
from probe.recorder import Recorder
from probe.relay import Relay
from probe.toolchain.maven_jars import schema_jars
from probe.toolchain.tools import cache_root, find_tool

TOXIPROXY = "github.com/Shopify/toxiproxy/v2/cmd/server@latest"
RECORDED = Path(__file__).resolve().parents[1] / "tests" / "data" / "recorded_wire.json"
ROUNDS, REPLAYS = 3, 60
PACED = 200
LOADS = {"instant": (True, PACED, 0), "working": (True, PACED, 1), "full": (False, 0, 0)}
"""(one connection, requests per second, milliseconds before the broker answers)"""
WAIT_S = 20.0
Result = dict[str, float]


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=3, help="duration of every measurement")
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--no-toxiproxy", action="store_true")
    parser.add_argument("--asyncio", action="store_true", help="use asyncio's event loop; runs use uvloop")
    arguments = parser.parse_args()
    say(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before; {ROUNDS} rounds of {arguments.seconds} s each")
    with tempfile.TemporaryDirectory() as folder:
        wire = build(Path(folder), str(Path(__file__).with_name("wire.go")))
        toxiproxy = None if arguments.no_toxiproxy else fetch_toxiproxy(Path(folder))
        run = asyncio.run if arguments.asyncio else uvloop.run
        found = run(measure(wire, toxiproxy, arguments.seconds, arguments.connections))
    report(found, arguments.connections)
    say(f"decoding: {decoding_us():.1f} us per piece of {RECORDED.name}, the least of {REPLAYS} replays")


def decoding_us() -> float:
    """Return the mean of the least times in which recorded pieces are decoded, in microseconds."""
    schemas, names = Schemas(schema_jars(cache_root())), dict[bytes, str]()
    connections = [connection["bytes"] for connection in json.loads(RECORDED.read_text())["connections"]]
    pieces = [[(side, bytes.fromhex(data)) for side, data in connection] for connection in connections]
    least: dict[tuple[int, int], int] = {}
    for _ in range(REPLAYS):
        for number, connection in enumerate(pieces):
            talk = Conversation(number, 1, schemas, names)
            for place, (side, data) in enumerate(connection):
                read = talk.client_bytes if side == "c" else talk.broker_bytes
                begun = time.perf_counter_ns()
                read(data, place)
                least[number, place] = min(time.perf_counter_ns() - begun, least.get((number, place), 1 << 60))
    return statistics.mean(least.values()) / 1000


def build(folder: Path, source: str) -> str:
    """Build a Go program; return its path."""
    program = folder / "wire"
    run_go(["build", "-o", str(program), source], {})
    return str(program)


def fetch_toxiproxy(folder: Path) -> str | None:
    """Build Toxiproxy's server from the module proxy; None, with a message, if that fails."""
    try:
        run_go(["install", TOXIPROXY], {"GOBIN": str(folder)})
    except RuntimeError as error:
        say(f"without Toxiproxy: {error}")
        return None
    return str(folder / "server")


def run_go(arguments: Sequence[str], env: dict[str, str]) -> None:
    """Run the go command; RuntimeError with the last line of its output if it fails."""
    command, place = [str(find_tool("go")), *arguments], tempfile.gettempdir()
    env = {**os.environ, **env}
    done = subprocess.run(command, env=env, cwd=place, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["go failed"])[-1])


async def measure(wire: str, toxiproxy: str | None, seconds: int, connections: int) -> dict[str, list[Result]]:
    """Return the results of all rounds per load and path; `cpu_us` is of this process, per request."""
    found: dict[str, list[Result]] = {}
    async with contextlib.AsyncExitStack() as stack:
        ways = {ms: await open_ways(stack, wire, toxiproxy, ms) for ms in sorted({ms for _, _, ms in LOADS.values()})}
        for _ in range(ROUNDS):
            for load, (alone, rate, ms) in LOADS.items():
                lasts = seconds if rate else min(seconds, LASTING - 1)
                for way, address in ways[ms].items():
                    before = time.process_time()
                    result = await run_load(wire, address, 1 if alone else connections, lasts, rate)
                    result["cpu_us"] = (time.process_time() - before) * 1e6 / (result["requests_per_s"] * lasts)
                    found.setdefault(f"{way} {load}", []).append(result)
    return found


async def open_ways(
    stack: contextlib.AsyncExitStack, wire: str, toxiproxy: str | None, broker_ms: int
) -> dict[str, str]:
    """Start a broker that answers after `broker_ms`; return the addresses of all paths to it."""
    broker = await stack.enter_async_context(serving(wire, broker_ms))
    ways = {"direct": broker, "relay": await stack.enter_async_context(relaying(broker))}
    if toxiproxy:
        ways["toxiproxy"] = await stack.enter_async_context(proxying(toxiproxy, broker))
    return ways


@contextlib.asynccontextmanager
async def serving(wire: str, broker_ms: int) -> AsyncIterator[str]:
    """Run the broker; yield its address."""
    process = await asyncio.create_subprocess_exec(wire, "serve", str(broker_ms), stdin=PIPE, stdout=PIPE)
    try:
        assert process.stdout is not None  # requested above
        yield (await asyncio.wait_for(process.stdout.readline(), WAIT_S)).decode().strip()
    finally:
        process.kill()
        await process.wait()


@contextlib.asynccontextmanager
async def relaying(broker: str, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """Run the relay in this process, with a recorder as in a trial."""
    schemas = Schemas(schema_jars(cache_root()))
    schemas.warm()
    async with Relay(brokers=(1,), sink=Recorder().add, schemas=schemas) as relay:
        if tls is not None:
            relay.secure(tls)
        relay.forward(1, Endpoint.parse(broker))
        yield str(relay.address(1))


@contextlib.asynccontextmanager
async def proxying(program: str, broker: str) -> AsyncIterator[str]:
    """Run Toxiproxy with one proxy and no toxic."""
    port, api = free_port(), free_port()
    process = await asyncio.create_subprocess_exec(
        *(program, "-host", "127.0.0.1", "-port", str(api)),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "LOG_LEVEL": "error"},
    )
    try:
        await asyncio.to_thread(make_proxy, api, {"name": "broker", "listen": f"127.0.0.1:{port}", "upstream": broker})
        yield f"127.0.0.1:{port}"
    finally:
        process.kill()
        await process.wait()


def make_proxy(api: int, proxy: dict[str, str]) -> None:
    """Create a proxy in Toxiproxy as soon as it listens."""
    deadline = time.monotonic() + WAIT_S
    request = urllib.request.Request(  # the address is on loopback
        f"http://127.0.0.1:{api}/proxies", json.dumps(proxy).encode(), {"Content-Type": "application/json"}
    )
    while True:
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=5).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def free_port() -> int:
    """Return a port that was free a moment ago; Toxiproxy does not report the port it takes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


async def run_load(
    wire: str, address: str, connections: int, seconds: int, rate: int, authority: Sequence[str] = ()
) -> Result:
    """Load an address, by TLS if the file of an authority is given; return median latency and requests per second."""
    load = ("load", address, str(connections), str(seconds), str(rate), *authority)
    process = await asyncio.create_subprocess_exec(wire, *load, stdout=PIPE)
    out, _ = await asyncio.wait_for(process.communicate(), seconds + WAIT_S)
    if process.returncode:
        raise SystemExit(f"the load on {address} failed")
    result: Result = json.loads(out)
    return result


def report(found: dict[str, list[Result]], connections: int) -> None:
    """Print the medians of the rounds, and their ratios."""
    p50 = {name: statistics.median(item["p50_us"] for item in results) for name, results in found.items()}
    rate = {name: statistics.median(item["requests_per_s"] for item in results) for name, results in found.items()}
    ways = [name.removesuffix(" full") for name in rate if name.endswith(" full")]
    added = {name: us - p50[f"direct {name.split()[1]}"] for name, us in p50.items()}
    say(f"{'':10} {'p50, instant broker':>28} {'p50, broker of 1 ms':>28} {f'requests/s, {connections} conns':>24}")
    for way in ways:
        cells = [f"{p50[f'{way} {load}']:.0f} us (+{added[f'{way} {load}']:.0f})" for load in ("instant", "working")]
        say(f"{way:10} {cells[0]:>28} {cells[1]:>28} {rate[f'{way} full']:>24.0f}")
    cpu = [(statistics.median(item["cpu_us"] for item in found[f"relay {load}"]), load) for load in LOADS]
    say(f"CPU of this process per request: {', '.join(f'{us:.0f} us ({load})' for us, load in cpu)}")
    say(f"relay / direct: {rate['relay full'] / rate['direct full']:.2f} of its requests/s")
    if "toxiproxy" in ways:
        for load in ("instant", "working"):
            ratio = added[f"relay {load}"] / added[f"toxiproxy {load}"]
            say(f"relay / Toxiproxy, {load} broker: {ratio:.2f} of its added latency (aim: at most 1.2)")
        say(f"relay / Toxiproxy: {rate['relay full'] / rate['toxiproxy full']:.2f} of its requests/s")


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
