"""The languages of bundles: the fake and the client of each, and the commands that run them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from probe.bundle.faults import Answer, Fault, Network
from probe.bundle.promises import Promise
from probe.model import Role
from probe.model.roles import ROLES
from probe.protocol.names import api_name, error_name

TEMPLATES = Path(__file__).parent / "templates"
ANY_PYTHON = "3"


@dataclass(frozen=True, slots=True)
class Release:
    """A version of a library, as its registry has it."""

    version: str
    package: str
    artifact: str
    """The version of the package."""
    python: str = ANY_PYTHON
    """Of a wheel: the newest CPython that it is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The values of a template."""

    release: Release
    role: Role
    fault: Fault
    promise: Promise
    settings: str
    """Settings of the client beyond its defaults, as its template takes them."""

    @property
    def tags(self) -> frozenset[str]:
        """The tags of the lines that are kept."""
        fault = self.fault
        found = {
            str(self.role): True,
            "feed": ROLES[self.role].reads,
            "answers": bool(fault.answers),
            "heals": bool(fault.answers) and fault.heals_ms is not None,
            "moves": fault.moves_ms is not None,
            "stays": fault.moves_ms is None,
            "timed": fault.moves_ms is not None or bool(fault.answers),
            "coordinator": fault.coordinator,
            "leader": not fault.coordinator,
            "network": fault.network is not Network.NONE,
            "plain": fault.network is Network.NONE,
            str(fault.network): True,
        }
        return frozenset(tag for tag, is_so in found.items() if is_so and tag)


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language with its templates."""

    name: str
    files: Mapping[str, str]
    """Template of each file beside the client, by its place in the folder."""
    client: str
    """Place of the client in the folder."""
    values: Callable[[Parts], Mapping[str, str]]
    command: Callable[[Release], str]
    """The command that installs a version and runs the test, for a POSIX shell."""
    working_copy: str
    """The test of a working copy in the place of a release, in words."""
    needs: str
    """The tools of the language that it needs."""


def _common(parts: Parts) -> dict[str, str]:
    promise = parts.promise
    return {
        "WATCH_S": str(promise.watch_s),
        "GAP_S": str(promise.gap_s),
        "PACKAGE": parts.release.package,
        "VERSION": parts.release.artifact,
        "SETTINGS": parts.settings,
    }


def _python(parts: Parts) -> dict[str, str]:
    fault = parts.fault
    rules = [(one.api, one.code, one.times) for one in fault.answers]
    broken = 2 if fault.coordinator else 1
    return {
        **_common(parts),
        "QUIET": str(parts.promise.is_quiet),
        "ORDER": str(parts.promise.in_order),
        "RULES": repr(rules),
        "MOVES_S": _seconds(fault.moves_ms),
        "HEALS_S": _seconds(fault.heals_ms),
        "LEADER": str(broken),
        "COORDINATOR": "1" if fault.coordinator or fault.network is not Network.NONE else "2",
    }


def _seconds(ms: int | None) -> str:
    return "None" if ms is None else str(ms / 1000)


def _go(parts: Parts) -> dict[str, str]:
    fault = parts.fault
    return {
        **_common(parts),
        "QUIET": str(parts.promise.is_quiet).lower(),
        "ORDER": str(parts.promise.in_order).lower(),
        "MODULE": parts.release.package,
        "ANSWERS": _kfake(fault.answers),
        "MOVES": str(fault.moves_ms),
        "HEALS": str(fault.heals_ms),
    }


TEST = "python3 test.py"
"""The brokers of the other languages, which start the client."""
ANY_BROKER = ("Metadata", "FindCoordinator")


def _kfake(answers: Sequence[Answer]) -> str:
    """Return the faults of kfake, with the name of each error; answers without a number of times share one."""
    rows: dict[tuple[int, int, str, int], list[str]] = {}
    for place, one in enumerate(answers):
        name = api_name(one.api)
        options = "" if name in ANY_BROKER else " Nodes: []int32{old},"
        options += " TopLevel: true," if name == "OffsetFetch" else ""
        rows.setdefault((one.code, one.times, options, place if one.times else -1), []).append(f"kmsg.{name}")
    lines = []
    for (code, times, options, _), keys in rows.items():
        error = f"kerr.TypedErrorForCode({code}), Count: {times or -1}"
        lines.append((f"kfake.Fault{{Keys: []kmsg.Key{{{', '.join(keys)}}},{options} Err: {error}}},", code))
    width = max((len(text) for text, _ in lines), default=0)
    return "\n".join(f"\t\t{text:{width}} // {error_name(code)}" for text, code in lines)


def _go_command(release: Release) -> str:
    package = release.package + ("/pkg/kgo" if release.package.endswith("/franz-go") else "")
    return f"go get {package}@v{release.artifact} && go run ."


def _pip_command(release: Release) -> str:
    python, folder = f"python{release.python}", f"lib-{release.artifact}"
    install = f"{python} -m pip install -q --target {folder} {release.package}=={release.artifact}"
    return f"{install} && PYTHONPATH={folder} {TEST} {python} client.py"


def _npm_command(release: Release) -> str:
    return f"npm install --silent {release.package}@{release.artifact} && {TEST} node client.js"


def _maven_command(release: Release) -> str:
    folder = f"lib-{release.artifact}"
    fetch = f"mvn -q -B dependency:copy-dependencies -Dkafka={release.artifact} -DoutputDirectory={folder}"
    return f"{fetch} && javac -cp '{folder}/*' Client.java && {TEST} java -cp '{folder}/*:.' Client"


FAKE = {"test.py": "python/test.py.in"}
PYTHON = Language(
    name="Python",
    files=FAKE,
    client="client.py",
    values=_python,
    command=_pip_command,
    working_copy="`python3 -m pip install -q --target lib-copy /path/to/your/checkout && PYTHONPATH=lib-copy "
    "python3 test.py python3 client.py`",
    needs="Python 3.8 or newer with pip",
)
LIBRDKAFKA = replace(
    PYTHON,
    working_copy="one of the commands after `&&`, with `LD_PRELOAD=/path/to/your/librdkafka.so.1` in front (Linux)",
)
GO = Language(
    name="Go",
    files={
        "fake/main.go": "go/fake.go.in",
        "fake/go.mod": "go/fake.mod.in",
        "go.mod": "go/go.mod.in",
        "watch.go": "go/watch.go.in",
    },
    client="client.go",
    values=_go,
    command=_go_command,
    working_copy="`go mod edit -replace {package}=/path/to/your/checkout && go mod tidy && go run .`",
    needs="Go 1.21 or newer, which fetches the Go that kfake asks for",
)
NODE = Language(
    name="Node",
    files={**FAKE, "package.json": "node/package.json.in"},
    client="client.js",
    values=_python,
    command=_npm_command,
    working_copy="`npm install /path/to/your/checkout && python3 test.py node client.js`",
    needs="Node 22 or newer with npm, and Python 3.8 or newer for the brokers",
)
JAVA = Language(
    name="Java",
    files={**FAKE, "pom.xml": "java/pom.xml.in"},
    client="Client.java",
    values=_python,
    command=_maven_command,
    working_copy="put its jar and its dependencies into a folder, then the commands from `javac` on",
    needs="a JDK with Maven, and Python 3.8 or newer for the brokers",
)
FAMILIES: Mapping[str, tuple[Language, str]] = {
    "sarama": (GO, "go/sarama.go.in"),
    "kafka-go": (GO, "go/kafka-go.go.in"),
    "franz-go": (GO, "go/franz-go.go.in"),
    "kafka-python": (PYTHON, "python/kafka-python.py.in"),
    "kafka-python-ng": (PYTHON, "python/kafka-python.py.in"),
    "aiokafka": (PYTHON, "python/aiokafka.py.in"),
    "java": (JAVA, "java/java.java.in"),
    "kafkajs": (NODE, "node/kafkajs.js.in"),
    "platformatic-kafka": (NODE, "node/platformatic-kafka.js.in"),
    "librdkafka": (LIBRDKAFKA, "python/librdkafka.py.in"),
}
"""The families with a template, each with its client's."""
