"""Groups of options: commands that share a group have the same options, words aside that a command has of its own."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from probe.cli.lazy_group import load
from probe.cli.option_groups import PublicationOptions, SelectionOptions, with_groups

SHARED = [
    ("run", "plan", SelectionOptions),
    ("publish-evidence", "publish-fingerprints", PublicationOptions),
]


@pytest.mark.parametrize(("first", "second", "group"), SHARED)
def test_commands_that_share_a_group_have_its_options_in_its_order(first: str, second: str, group: type) -> None:
    names = [field.name for field in fields(group)]
    for command in (first, second):
        declared = [option.name for option in load(command).params]
        assert [name for name in declared if name in names] == names
        assert declared[: len(names)] == names


def test_options_of_a_group_have_the_same_form_in_each_command() -> None:
    for first, second, group in SHARED:
        names = {field.name for field in fields(group)}
        forms = [
            [(one.opts, one.default, one.multiple, one.metavar) for one in load(command).params if one.name in names]
            for command in (first, second)
        ]
        assert forms[0] == forms[1]


@dataclass(frozen=True, kw_only=True)
class Size:
    """A group."""

    width: Annotated[int, typer.Option("--width", help="Width.")] = 1
    height: Annotated[int, typer.Option("--height", help="Height.")] = 2


def test_a_command_gets_the_value_of_its_group_and_words_its_own_help() -> None:
    app = typer.Typer(rich_markup_mode=None)

    @app.command()
    @with_groups(height="How high.")
    def area(*, name: Annotated[str, typer.Option("--name")] = "box", size: Size) -> None:
        """Print an area."""
        typer.echo(f"{name} {size}")

    assert list(inspect.signature(area).parameters) == ["name", "width", "height"]
    done = CliRunner().invoke(app, ["--width", "3"])
    assert done.stdout == f"box {Size(width=3, height=2)}\n"
    text = CliRunner().invoke(app, ["--help"]).stdout
    assert "Width." in text
    assert "How high." in text
    assert "Height." not in text
