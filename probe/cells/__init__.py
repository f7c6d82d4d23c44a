"""Trials to settled cells, and what cells say beside each other: grades, trends, agreement, upgrades. Pure."""
