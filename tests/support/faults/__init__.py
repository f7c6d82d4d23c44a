"""Faults of the harness's own surroundings, played during small real runs, and the checks that follow each of them."""
