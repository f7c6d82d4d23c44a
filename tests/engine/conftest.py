"""Fixtures of the engine tests."""

from tests.support.scripted_kafka import no_waiting

__all__ = ["no_waiting"]
