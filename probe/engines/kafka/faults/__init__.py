"""Fault actions on real brokers: they inject and revert the steps of a scenario. The table is in actions.py."""
