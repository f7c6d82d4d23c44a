"""The one table of formats: name, how one is recognised by its content, and its reader."""

from __future__ import annotations

from fnmatch import fnmatchcase

from probe.inventory import host_recognition as running
from probe.inventory import lock_recognition as locks
from probe.inventory import recognition
from probe.inventory.document import Head
from probe.inventory.file_format import Format

TEXTS = ("*.txt", "*.log", "*.out")
JSON = ("*.json", "*.jsonl")
YAML = ("*.yml", "*.yaml")
FORMATS: tuple[Format, ...] = (
    Format(title="jar", recognises=running.jar, reader="jar", walked=("*.jar", "*.war", "*.ear"), quiet=True),
    Format(title="librdkafka", recognises=running.librdkafka, reader="librdkafka", walked=("*rdkafka*",)),
    Format(title="program", recognises=running.program, reader="go_program", quiet=True),
    Format(
        title="installed Python package",
        recognises=running.python_package,
        reader="python_package",
        walked=("*.dist-info/METADATA", "*.egg-info/PKG-INFO", "*.egg-info"),
        environment=True,
        quiet=True,
    ),
    Format(
        title="installed npm package",
        recognises=running.node_package,
        reader="node_package",
        walked=("*node_modules/*/package.json",),
        environment=True,
    ),
    Format(title="go.mod", recognises=recognition.go_mod, reader="go_mod", walked=("go.mod", "*.mod"), project=True),
    Format(title="go.work", recognises=recognition.go_work, reader="go_work", walked=("go.work",), project=True),
    Format(title="output of go version -m", recognises=recognition.go_version, reader="go_version", walked=TEXTS),
    Format(
        title="CycloneDX", recognises=recognition.cyclonedx, reader="cyclonedx", walked=JSON, project=True, quiet=True
    ),
    Format(title="SPDX", recognises=recognition.spdx, reader="spdx", walked=JSON, project=True, quiet=True),
    Format(
        title="SPDX (tags and values)",
        recognises=recognition.spdx_tag_value,
        reader="spdx_tag_value",
        walked=("*.spdx", *TEXTS),
        project=True,
        quiet=True,
    ),
    Format(title="bun.lock", recognises=locks.bun_lock, reader="bun_lock", walked=("*.lock",), project=True),
    Format(title="deno.lock", recognises=locks.deno_lock, reader="deno_lock", walked=("*.lock",), project=True),
    Format(
        title="package-lock.json",
        recognises=locks.package_lock,
        reader="package_lock",
        project=True,
        walked=("package-lock.json", "npm-shrinkwrap.json"),
    ),
    Format(title="yarn.lock", recognises=locks.yarn_lock, reader="yarn_lock", walked=("*.lock",), project=True),
    Format(
        title="pnpm-lock.yaml",
        recognises=locks.pnpm_lock,
        reader="pnpm_lock",
        walked=("pnpm-lock*.yaml",),
        project=True,
    ),
    Format(title="pip list", recognises=recognition.pip_list, reader="pip_list", walked=(*TEXTS, *JSON), project=True),
    Format(
        title="pom.xml", recognises=recognition.pom, reader="pom", walked=("pom.xml", "*.pom"), project=True, quiet=True
    ),
    Format(
        title="project of .NET",
        recognises=recognition.dotnet_project,
        reader="dotnet_project",
        walked=("*.csproj", "*.fsproj", "*.vbproj", "Directory.Packages.props", "packages.config"),
        project=True,
        quiet=True,
    ),
    Format(
        title="packages.lock.json of NuGet",
        recognises=locks.nuget_lock,
        reader="nuget_lock",
        walked=("packages*.lock.json",),
        project=True,
        quiet=True,
    ),
    Format(
        title="build file of Gradle",
        recognises=recognition.gradle_build,
        reader="gradle_build",
        walked=("*.gradle", "*.gradle.kts"),
        project=True,
        quiet=True,
    ),
    Format(
        title="version catalogue of Gradle",
        recognises=recognition.gradle_catalogue,
        reader="gradle_catalogue",
        walked=("*.versions.toml",),
        project=True,
        quiet=True,
    ),
    Format(
        title="Gemfile.lock",
        recognises=locks.gemfile_lock,
        reader="gemfile_lock",
        walked=("*.lock", "gems.locked"),
        project=True,
    ),
    Format(title="mix.lock", recognises=locks.mix_lock, reader="mix_lock", walked=("*.lock",), project=True),
    Format(
        title="composer.lock",
        recognises=locks.composer_lock,
        reader="composer_lock",
        walked=("*.lock",),
        project=True,
    ),
    Format(
        title="gradle.lockfile",
        recognises=locks.gradle_lock,
        reader="gradle_lock",
        walked=("*.lockfile",),
        project=True,
    ),
    Format(
        title="lock file of Poetry, uv or PDM",
        recognises=locks.python_lock,
        reader="python_lock",
        walked=("*.lock",),
        project=True,
    ),
    Format(
        title="pylock.toml",
        recognises=locks.pylock,
        reader="pylock",
        walked=("pylock.toml", "pylock.*.toml"),
        project=True,
    ),
    Format(
        title="Pipfile.lock",
        recognises=locks.pipfile_lock,
        reader="pipfile_lock",
        walked=("Pipfile.lock",),
        project=True,
    ),
    Format(title="Pipfile", recognises=recognition.pipfile, reader="pipfile", walked=("Pipfile",), project=True),
    Format(title="Cargo.lock", recognises=locks.cargo_lock, reader="cargo_lock", walked=("*.lock",), project=True),
    Format(
        title="mvn dependency:list", recognises=recognition.maven_list, reader="maven_list", walked=TEXTS, project=True
    ),
    Format(
        title="mvn dependency:tree", recognises=recognition.maven_tree, reader="maven_tree", walked=TEXTS, project=True
    ),
    Format(title="request log of a broker", recognises=running.request_log, reader="request_log"),
    Format(title="pods of Kubernetes", recognises=running.kubernetes, reader="kubernetes", walked=JSON),
    Format(title="containers of Docker", recognises=running.docker_ps, reader="docker_ps", walked=(*TEXTS, *JSON)),
    Format(title="members of consumer groups", recognises=running.group_members, reader="group_members", walked=TEXTS),
    Format(
        title="objects of Kubernetes in YAML",
        recognises=running.kubernetes_yaml,
        reader="kubernetes_yaml",
        walked=YAML,
    ),
    Format(title="compose file", recognises=running.compose, reader="compose_file", walked=YAML),
    Format(title="settings of Beats", recognises=running.beats, reader="beats", walked=YAML),
    Format(
        title="settings of the OpenTelemetry Collector",
        recognises=running.otel_collector,
        reader="otel_collector",
        walked=YAML,
    ),
    Format(title="settings of Telegraf", recognises=running.telegraf, reader="telegraf", walked=("*.conf", "*.toml")),
    Format(title="fleet in TOML", recognises=recognition.fleet_toml, reader="fleet_toml", walked=("*.toml",)),
    Format(
        title="fleet in JSON",
        recognises=recognition.fleet_json,
        reader="fleet_json",
        walked=JSON,
        walked_if=recognition.fleet_json_in_a_walk,
    ),
    Format(
        title="Prometheus text",
        recognises=running.prometheus,
        reader="prometheus",
        walked=("*.prom", "*.metrics", "metrics", "*.txt"),
    ),
    Format(title="sheet", recognises=recognition.sheet, reader="sheet", walked=("*.csv", "*.tsv", "*.psv")),
    Format(title="list of images", recognises=running.image_list, reader="image_list", walked=("*images*",)),
    Format(title="list of clients", recognises=recognition.plain_list, reader="plain_list", walked=()),
    Format(
        title="requirements of pip",
        recognises=recognition.requirements,
        reader="requirements",
        project=True,
        walked=("*requirements*.txt", "*/requirements/*.txt", "*requirements*.in", "*constraints*.txt", "*freeze*.txt"),
    ),
)
"""In the order in which they are tried: what the content shows beyond doubt first."""
QUIET = frozenset(item.title for item in FORMATS if item.quiet)
"""Titles of the formats of which most files hold no client."""
TOGETHER = frozenset(item.title for item in FORMATS if item.environment)
"""Titles of the formats with a file per package."""


def recognised(head: Head, *, walked: bool) -> Format | None:
    """Return the format of a file; None if no format is known for it."""
    fits = (item for item in FORMATS if not walked or any(_matches(head, name) for name in item.walked))
    return next((item for item in fits if item.recognises(head) and (not walked or item.walked_if(head))), None)


def _matches(head: Head, name: str) -> bool:
    """Return whether a file has a name, or a path where the name has folders in it."""
    return fnmatchcase(f"/{head.name}" if "/" in name else head.file, name)
