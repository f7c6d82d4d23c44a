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
from spark.temporary_folders import make_folder, remove_folder

_LOGGING = Path(__file__).with_name("log4j2.properties")
_PATIENCE_S = 20
_NICE = 10
BYTES_PER_TASK = 64 * 2**20
"""Of compressed rows; what a task of a shuffle holds is well below a hundred megabytes then."""
SMALL = 32 * 2**20
"""Up to here planning and compiling cost more than the rows."""
_QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""The JIT is most of the start-up; its first stage alone halves it."""
_THOROUGH = ("-XX:+UseParallelGC",)
"""For many rows: they wait for compiled code and for the collector."""
_CONF = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "1g",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.arrow.localRelationThreshold": "0",  # rows in a plan are gone through whenever it is planned
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "4096",  # cells a task holds before it sorts them
    "spark.sql.codegen.cache.maxEntries": "1000",  # compiled pieces of queries that are remembered; else 100
    "spark.python.sql.dataFrameDebugging.enabled": "false",  # else each call here asks the JVM who called
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",  # else listing 33 files is a job of 33 tasks
}
_LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
_SENT = ("probe/model", "probe/verdict", "probe/protocol", "spark")
_NEAR = re.compile(r"local\b|spark://(127\.|localhost\b|\[::1\])")
"""Masters on this machine. Workers elsewhere must reach the driver: SPARK_LOCAL_IP says on which address."""


def start_session(master: str | None = None, *, large: bool = False) -> SparkSession:
    """Return a Spark session, `local[*]` unless told otherwise; safe to call in a thread while trials run.

    `large` (more than `SMALL` to read) trades a quick start for speed. A cluster's workers need Python with pyarrow at
    the driver's path (or PYSPARK_PYTHON); our code is sent to them.

    ToolError if there is no Java, or Spark does not start with it. End it with `stop_session`.
    """
    java = find_tool("java")
    os.environ.setdefault("JAVA_HOME", str(java.parent.parent))
    where = master or "local[*]"
    if near := _NEAR.match(where):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    folder = make_folder()
    options = [
        *(_THOROUGH if large else _QUICK),
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
    """Set a session up for so many bytes of Parquet, the few that count `among` many, or all.

    Of few rows nothing is planned twice, and nothing compiled but single expressions, and these only where many rows
    were read before.
    """
    large = size > SMALL
    told: dict[str, object] = {
        "spark.sql.shuffle.partitions": max(2, min(200, size // BYTES_PER_TASK)) if large else 1,
        "spark.sql.adaptive.enabled": str(large).lower(),
        "spark.sql.codegen.wholeStage": str(large).lower(),
        "spark.sql.codegen.factoryMode": "FALLBACK" if max(size, among) > SMALL else "NO_CODEGEN",
        "spark.sql.files.maxPartitionBytes": "128m" if large else "1g",
        "spark.sql.files.openCostInBytes": "4m" if large else "0",
    }
    for key, value in told.items():
        session.conf.set(key, str(value))


def give_way(session: SparkSession) -> None:
    """Let everything else on this machine go before Spark, from now on. Linux only; elsewhere nothing happens."""
    gateway = session.sparkContext._gateway  # noqa: SLF001  # Spark offers no public way to its JVM
    if gateway is None:
        return
    for task in Path(f"/proc/{gateway.proc.pid}/task").glob("[0-9]*"):
        with suppress(OSError):  # a thread that just ended
            os.setpriority(os.PRIO_PROCESS, int(task.name), _NICE)


def _our_code(folder: str) -> str:
    """Zip what runs on workers: the model, the rules, this package."""
    root = Path(__file__).parents[1]
    parts = ("probe/__init__.py", "probe/errors.py", *(f"{part}/**/*.py" for part in _SENT))
    target = Path(folder) / "probe.zip"
    with zipfile.ZipFile(target, "w") as packed:
        for path in sorted(path for part in parts for path in root.glob(part)):
            packed.write(path, path.relative_to(root))
    return str(target)


def stop_session(session: SparkSession) -> None:
    """Stop Spark, its JVM included, and remove its temporary folder."""
    folder = session.conf.get("spark.local.dir") or ""
    gateway = session.sparkContext._gateway  # noqa: SLF001  # Spark offers no public way to end its JVM
    session.stop()
    if gateway is not None:
        gateway.shutdown()
        _end(gateway.proc)
        SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001  # else the next session asks the dead one
    remove_folder(folder)


def _end(jvm: subprocess.Popen[bytes]) -> None:
    """Close the pipe that the JVM lives by; kill it if it does not go."""
    if jvm.stdin is not None:
        jvm.stdin.close()
    try:
        jvm.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        jvm.kill()
        jvm.wait()
