"""Fault actions on real brokers: how each step of a scenario is injected and reverted; actions.py has the table."""
