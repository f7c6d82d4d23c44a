"""Compare the price of TLS at the relay with its price at HAProxy, each with and without TLS towards the client.

    python benchmarks/relay_tls.py [--seconds N] [--connections N] [--haproxy PROGRAM]

All four are measured in one run, in turn, in five rounds, and medians are compared. Latency is that of one connection
at 200 requests per second; requests per second are those of 16 connections without pauses, for a second. Both end TLS
towards the client with the same key and certificate, and speak plainly to the same broker, which answers at once.
HAProxy is Debian's package `haproxy`, with two threads by default (`--threads 1`: one, as the relay has).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

import uvloop
from relay import PACED, WAIT_S, Result, build, free_port, relaying, run_load, say, serving

from probe.access import RIGHT, Access
from probe.files.private_files import write_private
from probe.model.security import Security
from probe.protocol.fold import LASTING
from probe.run_credentials import run_credentials

ROUNDS = 5
AIM = 2.0
LOADS = {"latency": (1, PACED), "requests": (0, 0)}
"""(connections, 0 = as many as asked; requests per second of each, 0 = without pauses)"""
CONFIGURATION = """
global
    nbthread {threads}
    maxconn 200
defaults
    mode tcp
    timeout connect 10s
    timeout client 60s
    timeout server 60s
listen plain
    bind 127.0.0.1:{plain}
    server broker {broker}
listen secured
    bind 127.0.0.1:{secured} ssl crt {chain}
    server broker {broker}
"""
Ways = dict[str, tuple[str, bool]]
"""Addresses, and whether by TLS."""


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=3, help="duration of every measurement of latency")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--haproxy", default="haproxy", help="the program")
    parser.add_argument("--threads", type=int, default=2, help="HAProxy's")
    arguments = parser.parse_args()
    say(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before; {ROUNDS} rounds of {arguments.seconds} s each")
    report(uvloop.run(measure(arguments)), arguments.connections)


async def measure(arguments: argparse.Namespace) -> dict[str, list[Result]]:
    """Return the results of all rounds per way and load."""
    found: dict[str, list[Result]] = {}
    security = Security.parse("SSL")
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        access = stack.enter_context(run_credentials([security]))[security]
        wire = build(folder, str(Path(__file__).with_name("wire.go")))
        broker = await stack.enter_async_context(serving(wire, 0))
        ways: Ways = {"relay": (await stack.enter_async_context(relaying(broker)), False)}
        ways["relay TLS"] = (await stack.enter_async_context(relaying(broker, access.server)), True)
        ways |= await stack.enter_async_context(balancing(arguments, broker, folder, access))
        for _ in range(ROUNDS):
            for load, (alone, rate) in LOADS.items():
                lasts = arguments.seconds if rate else min(arguments.seconds, LASTING - 1)
                for way, (address, tls) in ways.items():
                    authority = [access.authority_file] if tls else []
                    connections = alone or arguments.connections
                    result = await run_load(wire, address, connections, lasts, rate, authority)
                    found.setdefault(f"{way} {load}", []).append(result)
    return found


@contextlib.asynccontextmanager
async def balancing(arguments: argparse.Namespace, broker: str, folder: Path, access: Access) -> AsyncIterator[Ways]:
    """Run HAProxy with one port without TLS and one with it."""
    plain, secured = free_port(), free_port()
    chain = write_private(folder / "chain.pem", access.key_stores[RIGHT])
    configuration = folder / "haproxy.cfg"
    text = CONFIGURATION.format(threads=arguments.threads, plain=plain, secured=secured, broker=broker, chain=chain)
    configuration.write_text(text)
    process = await asyncio.create_subprocess_exec(arguments.haproxy, "-db", "-q", "-f", str(configuration))
    try:
        await asyncio.gather(*(listening(port) for port in (plain, secured)))
        yield {"HAProxy": (f"127.0.0.1:{plain}", False), "HAProxy TLS": (f"127.0.0.1:{secured}", True)}
    finally:
        process.kill()
        await process.wait()


async def listening(port: int) -> None:
    """Wait until a port is listened on. OSError if it never is."""
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.1)
        else:
            writer.transport.abort()
            return


def report(found: dict[str, list[Result]], connections: int) -> None:
    """Print the medians of the rounds, the price of TLS at each, and their ratios."""
    p50 = {way: statistics.median(item["p50_us"] for item in results) for way, results in found.items()}
    rate = {way: statistics.median(item["requests_per_s"] for item in results) for way, results in found.items()}
    say(f"{'':8} {'p50':>8} {'by TLS':>8} {'adds':>8} {f'requests/s, {connections}':>16} {'by TLS':>8} {'takes':>8}")
    added, taken = {}, {}
    for way in ("relay", "HAProxy"):
        us, tls_us = p50[f"{way} latency"], p50[f"{way} TLS latency"]
        plain, secured = rate[f"{way} requests"], rate[f"{way} TLS requests"]
        added[way], taken[way] = tls_us - us, 1 - secured / plain
        cells = f"{us:5.0f} us {tls_us:5.0f} us {added[way]:5.0f} us {plain:16.0f} {secured:8.0f} {taken[way]:8.1%}"
        say(f"{way:8} {cells}")
    for name, price in (("latency added", added), ("requests/s taken", taken)):
        say(f"{name} by TLS, relay / HAProxy: {price['relay'] / price['HAProxy']:.2f} (aim: at most {AIM:.0f})")


if __name__ == "__main__":
    main()
