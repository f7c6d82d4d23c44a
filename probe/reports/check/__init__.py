"""Formats of `probe check`."""
