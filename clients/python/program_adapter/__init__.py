"""Drives a program that speaks lines of JSON (docs/join.md)."""
