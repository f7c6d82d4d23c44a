"""Files of projects and deployments that may name clients and are not read, so that a walk can name them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

MANIFESTS: Mapping[str, tuple[str, ...]] = {
    "package.json": (
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "deno.lock",
    ),
    "pyproject.toml": ("poetry.lock", "uv.lock", "pdm.lock", "pylock.toml", "requirements.txt"),
    "deno.json*": ("deno.lock",),
    "setup.py": ("requirements.txt",),
    "setup.cfg": ("requirements.txt",),
    "Cargo.toml": ("Cargo.lock",),
    "Gemfile": ("Gemfile.lock",),
    "*.gemspec": ("Gemfile.lock",),
    "mix.exs": ("mix.lock",),
    "composer.json": ("composer.lock",),
    **dict.fromkeys(("environment.yml", "environment.yaml", "conda-lock.yml", "pixi.lock"), ()),
    **dict.fromkeys(("bun.lockb", "rebar.lock", "rebar.config", "pubspec.lock"), ()),
    **dict.fromkeys(("build.sbt", "build.sc", "ivy.xml", "project.clj", "deps.edn", "Package.resolved"), ()),
    **dict.fromkeys(("MODULE.bazel", "WORKSPACE", "maven_install.json", "paket.lock", "project.assets.json"), ()),
    **dict.fromkeys(("*.csproj", "*.fsproj", "*.vbproj", "*.props", "packages.config", "*.gradle", "*.gradle.kts"), ()),
    **dict.fromkeys(("vcpkg.json", "conan.lock", "conanfile.txt", "conanfile.py", "CMakeLists.txt", "meson.build"), ()),
    **dict.fromkeys(("Dockerfile", "Dockerfile.*", "*.Dockerfile", "Containerfile", "Chart.yaml", "values*.yaml"), ()),
    **dict.fromkeys(("kustomization.yaml", "*.tf", "*.nomad", "*.hcl", "*.lock", "*.lockfile", "*lock.json"), ()),
}
"""Names of files that look like manifests; with the lock files that say better what each of them asks for."""


def unread_manifests(names: Iterable[str], read: Collection[str]) -> list[str]:
    """Return those of the files that no format was found for that look like manifests, in their order.

    A manifest whose lock file was read, beside it or in a folder above, is left out. Names are paths with `/`.
    """
    return [name for name in names if _is_unread(name, read)]


NOT_ONE = (".*", "*.dockerignore")
"""Names that only look like those of manifests."""


def _is_unread(name: str, read: Collection[str]) -> bool:
    path = PurePosixPath(name)
    fits = [locks for pattern, locks in MANIFESTS.items() if fnmatchcase(path.name, pattern)]
    if not fits or any(fnmatchcase(path.name, pattern) for pattern in NOT_ONE):
        return False
    return not any(str(folder / lock) in read for locks in fits for lock in locks for folder in path.parents)
