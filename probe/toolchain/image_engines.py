"""The program that builds and runs the image: docker or podman where one answers, else Debian's buildah as root. Pure.

The command lines are the same for every engine but for its words: the image is built, its own configuration is read,
and programs run in it as its own user, on two volumes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from probe.errors import ProbeError

CONTAINER_ENGINES = ("docker", "podman")
BUILDAH = "buildah"
DOCKERFILE = "docker/Dockerfile"
IGNORED = "docker/Dockerfile.dockerignore"
VOLUMES = ("results", "cache")
"""Folders of the image's root that are volumes."""
CERTIFICATES = "/run/trusted-certificates.pem"
"""The place of this machine's certificates in the image: a path of its own, so that packages can fill theirs."""
CERTIFICATE_VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
"""Variables by which OpenSSL and Go, pip, and Node are given these certificates."""
BUDGET_OPTION = "--time-budget"


@dataclass(frozen=True, slots=True)
class Machine:
    """Facts about this machine that decide which engine builds the image."""

    engines: Mapping[str, str]
    """Why docker or podman cannot be used; empty if it answers. One that is not installed is left out."""
    is_root: bool
    missing: Sequence[str]
    """Programs that buildah's way needs and this machine lacks."""


def choose(machine: Machine) -> str:
    """Return the name of the engine. Raises ProbeError with all that is missing."""
    for name in CONTAINER_ENGINES:
        if machine.engines.get(name) == "":
            return name
    if machine.is_root and not machine.missing:
        return BUILDAH
    reasons = [f"{name} {_reason(machine.engines.get(name))}" for name in CONTAINER_ENGINES]
    lacks = ([] if machine.is_root else ["root"]) + list(machine.missing)
    reasons.append(f"{BUILDAH} from Debian's packages needs {' and '.join(lacks)}")
    raise ProbeError(
        f"no image can be built here: {', '.join(reasons)}; start docker or podman, or run this as root on Debian"
    )


def _reason(found: str | None) -> str:
    return "is not on this machine" if found is None else f"does not answer ({found})"


@dataclass(frozen=True, slots=True)
class Config:
    """Configuration of a built image."""

    entrypoint: tuple[str, ...]
    command: tuple[str, ...]
    user: str
    """Number of its user."""


def read_config(text: str, at: Sequence[str]) -> Config:
    """Read the JSON configuration of an image. Raises ProbeError if its processes would run as root."""
    found = json.loads(text)
    for name in at:
        found = found[name]
    user = str(found.get("User") or "").partition(":")[0]
    if user in {"", "0", "root"}:
        raise ProbeError(f"the image runs as root; give {DOCKERFILE} a USER")
    entrypoint, command = (_words(found.get(key)) for key in ("Entrypoint", "Cmd"))
    return Config(entrypoint, command, user)


def _words(found: object) -> tuple[str, ...]:
    return tuple(map(str, found)) if isinstance(found, list) else ()


def scheduled(config: Config, budget_s: int, extra: Sequence[str]) -> list[str]:
    """Return the schedule's command as the image has it, with another budget and further options.

    Raises ProbeError if the image's command has no budget.
    """
    command = list(config.command)
    if BUDGET_OPTION not in command[:-1]:
        raise ProbeError(f"the command of the image has no {BUDGET_OPTION}; {DOCKERFILE} needs the schedule's command")
    command[command.index(BUDGET_OPTION) + 1] = str(budget_s)
    return [*config.entrypoint, *command, *extra]


def base_images(dockerfile: str) -> list[str]:
    """Return the images that a Dockerfile starts from, without its own stages, in their order."""
    stages = re.findall(r"^FROM +(\S+)(?: +AS +(\S+))?", dockerfile, re.MULTILINE | re.IGNORECASE)
    own = {name for _, name in stages}
    return list(dict.fromkeys(base for base, _ in stages if base not in own))


class ImageEngine(Protocol):
    """Command lines for one image and its containers."""

    def build(self) -> list[str]:
        """Return the command that builds the image, in the root of the checkout."""

    def config(self) -> list[str]:
        """Return the command that prints, as JSON, what `config_at` describes."""

    @property
    def config_at(self) -> Sequence[str]:
        """Names of the objects around the image's configuration, outermost first."""

    def export(self, archive: str) -> list[str]:
        """Return the command that writes the image to a file, in the form of `docker save`."""

    def open(self, user: str) -> list[list[str]]:
        """Return the commands between the build and the first run, for an image with this user."""

    def run(self, words: Sequence[str]) -> list[str]:
        """Return the command that runs a program in the image as its own user, with both volumes."""

    def close(self) -> list[list[str]]:
        """Return the commands that stop and remove everything, whether it exists or not."""


@dataclass(frozen=True, slots=True)
class ContainerEngine:
    """docker or podman."""

    program: str
    name: str
    """Name of the image, its container, and (as a prefix) its volumes."""

    def build(self) -> list[str]:
        """Return the command that builds the image."""
        return [self.program, "build", "--file", DOCKERFILE, "--tag", self.name, "."]

    def config(self) -> list[str]:
        """Return the command that prints the image's configuration."""
        return [self.program, "image", "inspect", "--format", "{{json .Config}}", self.name]

    @property
    def config_at(self) -> Sequence[str]:
        """Nothing stands around the configuration."""
        return ()

    def export(self, archive: str) -> list[str]:
        """Return the command that writes the image to a file."""
        return [self.program, "save", "--output", archive, self.name]

    def open(self, user: str) -> list[list[str]]:  # noqa: ARG002  # the image's folders have its owner
        """Return the commands that make the volumes."""
        return [[self.program, "volume", "create", volume] for volume in self._volumes()]

    def run(self, words: Sequence[str]) -> list[str]:
        """Return the command that runs a program, as restricted as in docker/compose.yml."""
        restricted = ["--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
        mounts = [
            word
            for name, volume in zip(VOLUMES, self._volumes(), strict=True)
            for word in ("--volume", f"{volume}:/{name}")
        ]
        start = [self.program, "run", "--rm", "--name", self.name, *restricted, *mounts]
        return [*start, "--entrypoint", words[0], self.name, *words[1:]]

    def close(self) -> list[list[str]]:
        """Return the commands that remove container, volumes and image."""
        return [
            [self.program, "rm", "--force", self.name],
            [self.program, "volume", "rm", "--force", *self._volumes()],
            [self.program, "rmi", "--force", self.name],
        ]

    def _volumes(self) -> list[str]:
        return [f"{self.name}-{volume}" for volume in VOLUMES]


@dataclass(frozen=True, slots=True)
class Buildah:
    """buildah as root without a daemon; everything that it writes lies in one folder of ours."""

    command: Sequence[str]
    """The program with all that stands before its own options."""
    folder: str
    name: str
    """Name of the image and its container."""
    certificates: str | None
    """File with the certificates that this machine trusts."""

    def build(self) -> list[str]:
        """Return the command that builds the image from the base images that were made here."""
        variables = self._certified([f"{name}={CERTIFICATES}" for name in CERTIFICATE_VARIABLES], "--env")
        options = ["--pull-never", "--ignorefile", IGNORED, *self._mounted(), *variables]
        return self.build_from(DOCKERFILE, self.name, ".", options)

    def build_from(self, dockerfile: str, name: str, context: str, options: Sequence[str] = ()) -> list[str]:
        """Return the command that builds any image."""
        fixed = ["--format", "docker", "--signature-policy", f"{self.folder}/policy.json"]
        return [*self._start(), "build", *fixed, *options, "--file", dockerfile, "--tag", name, context]

    def config(self) -> list[str]:
        """Return the command that prints the image's configuration."""
        return [*self._start(), "inspect", "--type", "image", self.name]

    @property
    def config_at(self) -> Sequence[str]:
        """The description of the image has it for Docker and for OCI."""
        return ("OCIv1", "config")

    def export(self, archive: str) -> list[str]:
        """Return the command that writes the image to a file."""
        policy = ["--signature-policy", f"{self.folder}/policy.json"]
        return [*self._start(), "push", *policy, self.name, f"docker-archive:{archive}:{self.name}"]

    def open(self, user: str) -> list[list[str]]:
        """Return the commands that give the volumes to the user, and make the container."""
        policy = ["--signature-policy", f"{self.folder}/policy.json"]
        volumes = [f"{self.folder}/volumes/{name}" for name in VOLUMES]
        start = [*self._start(), "from", *policy, "--pull-never", "--name", self.name, self.name]
        return [["chown", user, *volumes], start]

    def run(self, words: Sequence[str]) -> list[str]:
        """Return the command that runs a program in the container."""
        mounts = [word for name in VOLUMES for word in ("--volume", f"{self.folder}/volumes/{name}:/{name}")]
        return [*self._start(), "run", *self._mounted(), *mounts, self.name, "--", *words]

    def close(self) -> list[list[str]]:
        """Return nothing: all of it lies in the folder."""
        return []

    def _start(self) -> list[str]:
        places = ["--root", f"{self.folder}/storage", "--runroot", f"{self.folder}/state"]
        return [*self.command, "--storage-driver", "vfs", *places]

    def _mounted(self) -> list[str]:
        return self._certified([f"{self.certificates}:{CERTIFICATES}:ro"], "--volume")

    def _certified(self, values: Sequence[str], option: str) -> list[str]:
        return [word for value in values for word in (option, value)] if self.certificates else []
