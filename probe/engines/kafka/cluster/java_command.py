"""Java command lines of the servers: small heaps, quick starts, logs on standard output."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from probe.toolchain.tools import ToolError

KAFKA = "kafka.Kafka"
ZOOKEEPER = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
OPTIONS = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Djava.awt.headless=true",
    # otherwise ZooKeeper 3.4 needs classes of log4j 1 that are not on the class path
    "-Dzookeeper.jmx.log4j.disable=true",
)
HEAPS = {KAFKA: ("-Xmx160m", "-Xms160m"), ZOOKEEPER: ("-Xmx96m", "-Xms96m")}
"""Heaps by main class. The broker's is enough with a small buffer of the log cleaner (`properties.BROKER`)."""
QUIET = (
    "state.change.logger",
    "kafka.server.ReplicaFetcherManager",
    "kafka.server.KafkaConfig",
    "kafka.log.LogSegment",
    "org.apache.kafka.storage.internals.log.LogSegment",
)
"""Loggers whose lines below WARN are no events (`broker_log.REPORTED`) or repeat other lines."""
LOG4J = """log4j.rootLogger=INFO, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%p %m%n
""" + "".join(f"log4j.logger.{name}=WARN\n" for name in QUIET)
LOG4J2 = """status=error
rootLogger.level=info
rootLogger.appenderRef.out.ref=out
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%p %m%n
""" + "".join(f"logger.{number}.name={name}\nlogger.{number}.level=warn\n" for number, name in enumerate(QUIET))
REQUESTS = "kafka.request.logger"
"""The logger of completed requests, which is off below DEBUG."""
STAMPED = "%d{yyyy-MM-dd HH:mm:ss,SSSZ} %p %m%n"
PLAIN = "%m%n"
LOG4J_REQUESTS = f"""log4j.logger.{REQUESTS}=DEBUG, requests
log4j.additivity.{REQUESTS}=false
log4j.appender.requests=org.apache.log4j.{{kind}}Appender
log4j.appender.requests.layout=org.apache.log4j.PatternLayout
log4j.appender.requests.layout.ConversionPattern={{pattern}}
"""
LOG4J2_REQUESTS = f"""appender.requests.type={{kind}}
appender.requests.name=requests
appender.requests.layout.type=PatternLayout
appender.requests.layout.pattern={{pattern}}
logger.requests.name={REQUESTS}
logger.requests.level=debug
logger.requests.additivity=false
logger.requests.appenderRef.requests.ref=requests
"""
VERSION_S = 30


@dataclass(frozen=True, slots=True)
class Java:
    """Java with the class path of one Kafka version."""

    program: Path
    jars: Sequence[Path]
    options: Sequence[str]
    """Additional options of this Kafka version."""
    archive: Path | None = None
    """A class-data archive for this version and this Java."""

    def argv(self, main: str, folder: Path, properties: Path, *more: str) -> list[str]:
        """Return the command. Logging configurations are in `folder`, and native libraries are unpacked there.

        A killed server leaves its native libraries behind, and the folder is deleted with the cluster.
        """
        shared = (f"-XX:SharedArchiveFile={self.archive}", "-Xshare:auto") if self.archive and main == KAFKA else ()
        return [
            str(self.program),
            *HEAPS[main],
            *OPTIONS,
            *shared,
            *self.options,
            *more,
            f"-Djava.io.tmpdir={folder}",
            f"-Dlog4j.configuration=file:{folder / 'log4j.properties'}",
            f"-Dlog4j2.configurationFile={folder / 'log4j2.properties'}",
            "-cp",
            ":".join(map(str, self.jars)),
            main,
            str(properties),
        ]


def write_logging(folder: Path) -> None:
    """Write both kinds of logging configuration: Kafka up to 3.9 reads the first, 4.0 and later the second."""
    (folder / "log4j.properties").write_text(LOG4J)
    (folder / "log4j2.properties").write_text(LOG4J2)


def log_requests(folder: Path) -> None:
    """Let a server that is not started yet log its requests, too, with the time of each line."""
    _add_requests(folder, "Console", STAMPED)


def keep_requests(folder: Path, file: Path) -> None:
    """Let a server that is not started yet log its requests to a file, which later processes of it continue.

    Without its hook log4j2 goes on until the process ends: a broker in a controlled shutdown answers for two seconds.
    """
    place = f"log4j.appender.requests.File={file}\n", f"shutdownHook=disable\nappender.requests.fileName={file}\n"
    _add_requests(folder, "File", PLAIN, place)


def _add_requests(folder: Path, kind: str, pattern: str, more: tuple[str, str] = ("", "")) -> None:
    names = ("log4j.properties", LOG4J_REQUESTS), ("log4j2.properties", LOG4J2_REQUESTS)
    for (name, text), own in zip(names, more, strict=True):
        with (folder / name).open("a") as configuration:
            configuration.write(text.format(kind=kind, pattern=pattern) + own)


def java_version(program: Path) -> str:
    """Return the last line of `java -version`, which names the build. ToolError if it does not run."""
    try:
        done = subprocess.run([str(program), "-version"], capture_output=True, text=True, timeout=VERSION_S, check=True)
    except subprocess.SubprocessError as error:
        raise ToolError(f"{program} does not run: {error}; install a JDK (17 or newer)") from None
    lines = done.stderr.strip().splitlines()
    return lines[-1] if lines else "?"
