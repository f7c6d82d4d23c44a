"""Endpoints as values and as text."""

from __future__ import annotations

import pytest

from probe.model.endpoint import Endpoint, as_text


def test_an_endpoint_is_parsed_and_printed_as_host_and_port() -> None:
    found = Endpoint.parse("127.0.0.1:9092")
    assert found == Endpoint(host="127.0.0.1", port=9092)
    assert str(found) == "127.0.0.1:9092"
    assert as_text([found, Endpoint.parse("h:1")]) == "127.0.0.1:9092,h:1"


@pytest.mark.parametrize("text", ["", "host", "host:", "host:kafka"])
def test_a_text_without_a_port_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        Endpoint.parse(text)
