"""Settled cells: made from trials, graded and compared by trends, agreement and upgrades. Pure."""
