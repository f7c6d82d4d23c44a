"""A Spark standalone cluster on loopback: a master and workers from the jars of pyspark."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

from probe.toolchain.tools import find_tool

PATIENCE_S = 120
_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[str]:
    """Start a cluster; yield the master's URL once every worker has registered, and end all processes at exit."""
    with ExitStack() as stack:
        master = stack.enter_context(_daemon(folder / "master.log", "master.Master", "--host", "127.0.0.1"))
        url = _wait_for(master, r"Starting Spark master at (spark://\S+)")
        for nth in range(workers):
            own = ("--cores", "1", "--memory", "1g", "--host", "127.0.0.1", "--work-dir", str(folder / f"work{nth}"))
            stack.enter_context(_daemon(folder / f"worker{nth}.log", "worker.Worker", *own, url))
        for nth in range(workers):
            _wait_for(folder / f"worker{nth}.log", "(Successfully registered) with master")
        yield url


@contextmanager
def _daemon(log: Path, name: str, *args: str) -> Iterator[Path]:
    java = find_tool("java")
    env = {
        **os.environ,
        "JAVA_HOME": str(java.parent.parent),
        "SPARK_NO_DAEMONIZE": "1",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # also of executors
    }
    command = [str(_CLASS), f"org.apache.spark.deploy.{name}", "--port", "0", "--webui-port", "0", *args]
    with log.open("wb") as sink, subprocess.Popen(command, stdout=sink, stderr=sink, env=env) as process:
        try:
            yield log
        finally:
            process.terminate()
            process.wait(20)


def _wait_for(log: Path, pattern: str) -> str:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if found := re.search(pattern, log.read_text(errors="replace")):
            return found[1]
        time.sleep(0.1)
    raise TimeoutError(f"{pattern} did not show up in {log}:\n{log.read_text(errors='replace')[-2000:]}")
