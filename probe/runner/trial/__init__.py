"""One trial: set-up, warm-up, fault, observation, teardown."""
