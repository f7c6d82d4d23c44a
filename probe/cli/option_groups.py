"""Options that commands have in common, as values: a group is a dataclass, and each of its fields is an option."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.models import OptionInfo

from probe.cli import common_options as common
from probe.cli import options as o
from probe.model.engines import DEFAULT_ENGINE
from probe.planning.selection import LongWatches


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionOptions:
    """The options that choose the cells of `run` and `plan`."""

    client: o.Clients = None
    scenario: common.Scenarios = None
    role: common.Roles = None
    profile: o.Profiles = None
    property_: o.Properties = None
    engine: common.EngineOption = DEFAULT_ENGINE
    broker: o.Brokers = None
    trials: o.Trials = 1
    election: o.ElectionOption = None
    security: o.SecurityOption = None
    rack: o.RackOption = None
    seed: o.Seed = None
    shard: o.Shard = "1/1"
    workload: common.Workloads = None
    long_watches: o.Long = LongWatches.ALL
    baseline: o.BaselineOption = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationOptions:
    """The options of commands that write what ships with the package. What `out` and `add` do, each command says."""

    results: common.Results = common.RESULTS
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE")] = None
    add: Annotated[bool, typer.Option("--add")] = False


def with_groups(**helps: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator of commands: a parameter whose type is a group becomes the options of that group.

    `helps` has the help texts of options, by name, that a command words itself.
    """

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(command, eval_str=True)
        groups: dict[str, Any] = {
            one.name: one.annotation for one in signature.parameters.values() if is_dataclass(one.annotation)
        }

        @functools.wraps(command)
        def flat(**given: Any) -> None:
            made = {
                name: group(**{one.name: given.pop(one.name) for one in fields(group)})
                for name, group in groups.items()
            }
            command(**made, **given)

        parameters = [each for one in signature.parameters.values() for each in _options(one, helps)]
        flat.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # what typer reads
        return flat

    return decorated


def _options(parameter: Parameter, helps: dict[str, str]) -> Iterator[Parameter]:
    """Yield the options of a group; of any other parameter, itself."""
    if not is_dataclass(group := parameter.annotation):
        yield parameter
        return
    hints = get_type_hints(group, include_extras=True)
    for one in fields(group):
        hint = hints[one.name]
        if one.name in helps:
            hint = Annotated[hint.__origin__, _worded(hint.__metadata__[0], helps[one.name])]
        yield Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.default, annotation=hint)


def _worded(option: OptionInfo, text: str) -> OptionInfo:
    worded = copy.copy(option)
    worded.help = text
    return worded
