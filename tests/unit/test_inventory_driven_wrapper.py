"""A wrapper that is a family of its own: what an inventory that names it stands for."""

from __future__ import annotations

import pytest

from probe.cli.wiring.catalogue import apps, families
from tests.support.inventories import read

WRAPPER = "github.com/ThreeDotsLabs/watermill-kafka"
SARAMA = "github.com/IBM/sarama"


def go_mod(*required: str) -> str:
    lines = "".join(f"\t{item}\n" for item in required)
    return f"module shop.example/orders\n\ngo 1.22\n\nrequire (\n{lines})\n"


def test_sarama_beside_the_wrapper_is_counted_once_and_the_wrapper_is_named() -> None:
    reading = read(go_mod(f"{WRAPPER}/v3 v3.0.3", f"{SARAMA} v1.43.3 // indirect"), "go.mod")
    assert [item.selector for item in reading.found] == ["sarama@1.43.3"]
    assert [item.what for item in reading.skipped] == [f"{WRAPPER}/v3 3.0.3"]


@pytest.mark.parametrize(
    ("module", "version", "library"),
    [("/v2", "2.5.0", "1.38.0"), ("/v3", "3.0.3", "1.42.1"), ("/v3", "3.0.4", "1.43.3"), ("/v3", "3.1.4", "1.50.1")],
)
def test_the_wrapper_alone_stands_for_the_sarama_inside_it(module: str, version: str, library: str) -> None:
    (found,) = read(go_mod(f"{WRAPPER}{module} v{version}"), "go.mod").found
    assert found.selector == f"watermill-kafka@{version}"
    app = apps()["watermill-kafka"]
    assert (app.family, app.inside(version).library) == ("sarama", library)


def test_the_wrapper_s_rows_agree_with_its_family() -> None:
    for item in families()["watermill"].versions:
        assert item.library
        assert apps()["watermill-kafka"].inside(item.version).library == item.library.version
