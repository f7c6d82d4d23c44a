"""The layout of a message at one version: its fields with their order and encoding."""

from __future__ import annotations

from dataclasses import dataclass

from probe.protocol.definitions import Field, Message


@dataclass(frozen=True, slots=True)
class Item:
    """One field as encoded on the wire."""

    name: str
    type: str
    """A primitive type of Kafka, or `struct`."""
    array: bool
    nullable: bool
    tag: int
    """-1 where the field is not tagged."""
    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything needed to read or write a body."""

    flexible: bool
    """Compact lengths and tagged fields (KIP-482)."""
    items: tuple[Item, ...]

    @property
    def tail(self) -> int:
        """Return how many sections of tagged fields a body ends with. Each is a zero byte if it has no field."""
        return _tag_sections(self.items) if self.flexible else 0


def layout(message: Message, version: int) -> Layout:
    """Return the layout of one version."""
    return Layout(version in message.flexible, _items(message.fields, version))


def _items(fields: tuple[Field, ...], version: int) -> tuple[Item, ...]:
    return tuple(
        Item(
            name=field.name,
            type=field.type,
            array=field.array,
            nullable=version in field.nullable,
            tag=field.tag if version in field.tagged else -1,
            items=_items(field.fields, version),
        )
        for field in fields
        if version in field.versions
    )


def _tag_sections(items: tuple[Item, ...]) -> int:
    """Return how many sections of tagged fields the last element of a struct ends with, its own included."""
    plain = [item for item in items if item.tag < 0]
    inner = _tag_sections(plain[-1].items) if plain and plain[-1].type == "struct" else 0
    return inner + 1
