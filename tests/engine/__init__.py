"""Tests of the engines, against the fake cluster or real brokers."""
