"""Start Spark for small data on a small machine: one process, loopback only, quiet, quick to start."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from probe.toolchain.tools import ToolError, find_tool
from spark.class_archive import archive_options, keep_archive, writes_archive
from spark.temporary_folders import make_folder, remove_folder

_LOGGING = Path(__file__).with_name("log4j2.properties")
_PATIENCE_S = 20
_ARCHIVING_S = 120
_NICE = 10
BYTES_PER_TASK = 64 * 2**20
"""Compressed bytes per task; a task of a shuffle then holds well below a hundred megabytes."""
SMALL = 32 * 2**20
"""Up to this size planning and compiling take longer than the rows."""
_QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Only the first stage of the JIT, which halves the time to start."""
_THOROUGH = ("-XX:+UseParallelGC",)
"""For many rows, which depend on compiled code and on the collector."""
_CONF = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "1g",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.arrow.localRelationThreshold": "0",  # rows in a plan are processed whenever it is planned
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "4096",  # cells per task before it sorts
    "spark.sql.codegen.cache.maxEntries": "1000",  # compiled pieces of queries in the cache; default 100
    "spark.python.sql.dataFrameDebugging.enabled": "false",  # otherwise every call asks the JVM for its call site
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",  # otherwise listing many files starts a job
}
_LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
_SENT = ("probe/model", "probe/verdict", "probe/protocol", "spark")
_NEAR = re.compile(r"local\b|spark://(127\.|localhost\b|\[::1\])")
"""Masters on this machine. Workers on other machines must reach the driver; SPARK_LOCAL_IP sets its address."""


def start_session(master: str | None = None, *, large: bool = False) -> SparkSession:
    """Return a Spark session, by default with the master `local[*]`; safe in a thread while trials run.

    `large` (more than `SMALL` bytes to read) prefers throughput to a quick start. Workers of a cluster need Python with
    pyarrow at the driver's path (or PYSPARK_PYTHON); our code is sent to them.

    ToolError if there is no Java or Spark does not start with it. End the session with `stop_session`.
    """
    java = find_tool("java")
    os.environ.setdefault("JAVA_HOME", str(java.parent.parent))
    where = master or "local[*]"
    if near := _NEAR.match(where):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    folder = make_folder()
    options = [
        *(_THOROUGH if large else (*_QUICK, *archive_options(java, folder))),
        f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}",
        f"-Dderby.system.home={folder}",
    ]
    builder = SparkSession.builder.appName("kafka-metadata-probe").master(where)
    for key, value in {**_CONF, **(_LOOPBACK if near else {})}.items():
        builder = builder.config(key, value)
    builder = builder.config("spark.sql.warehouse.dir", folder).config("spark.local.dir", folder)
    try:
        session = builder.config("spark.driver.extraJavaOptions", " ".join(options)).getOrCreate()
    except (PySparkException, OSError, RuntimeError) as error:
        remove_folder(folder)
        reason = " ".join(str(error).split())
        raise ToolError(f"Spark does not start with {java}: {reason}; it needs Java 17 or newer") from error
    if not where.startswith("local"):
        session.sparkContext.addPyFile(_our_code(folder))
    return session


def tune(session: SparkSession, size: int, among: int = 0) -> None:
    """Configure a session for reading `size` bytes of Parquet; `among` = the bytes of all new runs.

    For few rows, adaptive plans and whole-stage compilation are off. Single expressions are then compiled only if the
    session has many rows to read in total.
    """
    large = size > SMALL
    settings: dict[str, object] = {
        "spark.sql.shuffle.partitions": max(2, min(200, size // BYTES_PER_TASK)) if large else 1,
        "spark.sql.adaptive.enabled": str(large).lower(),
        "spark.sql.codegen.wholeStage": str(large).lower(),
        "spark.sql.codegen.factoryMode": "FALLBACK" if max(size, among) > SMALL else "NO_CODEGEN",
        "spark.sql.files.maxPartitionBytes": "128m" if large else "1g",
        "spark.sql.files.openCostInBytes": "4m" if large else "0",
    }
    for key, value in settings.items():
        session.conf.set(key, str(value))


def give_way(session: SparkSession) -> None:
    """Lower the priority of Spark's present threads. Linux only; no effect elsewhere."""
    gateway = session.sparkContext._gateway  # noqa: SLF001  # Spark offers no public way to its JVM
    if gateway is None:
        return
    for task in Path(f"/proc/{gateway.proc.pid}/task").glob("[0-9]*"):
        with suppress(OSError):  # a thread that has just ended
            os.setpriority(os.PRIO_PROCESS, int(task.name), _NICE)


def _our_code(folder: str) -> str:
    """Pack the code that runs on workers into a zip file: the model, the rules, this package."""
    root = Path(__file__).parents[1]
    parts = ("probe/__init__.py", "probe/errors.py", *(f"{part}/**/*.py" for part in _SENT))
    target = Path(folder) / "probe.zip"
    with zipfile.ZipFile(target, "w") as packed:
        for path in sorted(path for part in parts for path in root.glob(part)):
            packed.write(path, path.relative_to(root))
    return str(target)


def stop_session(session: SparkSession) -> None:
    """Stop Spark and its JVM, and remove its temporary folder."""
    folder = session.conf.get("spark.local.dir") or ""
    writes = writes_archive(session.conf.get("spark.driver.extraJavaOptions") or "")
    gateway = session.sparkContext._gateway  # noqa: SLF001  # Spark offers no public way to end its JVM
    session.stop()
    if gateway is not None:
        gateway.shutdown()
        _end(gateway.proc, _ARCHIVING_S if writes else _PATIENCE_S)
        SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001  # otherwise the next session uses the old one
    if writes:
        keep_archive(find_tool("java"), folder)
    remove_folder(folder)


def _end(jvm: subprocess.Popen[bytes], patience_s: float) -> None:
    """Close the JVM's input, which ends it; kill it after a timeout."""
    if jvm.stdin is not None:
        jvm.stdin.close()
    try:
        jvm.wait(patience_s)
    except subprocess.TimeoutExpired:
        jvm.kill()
        jvm.wait()
