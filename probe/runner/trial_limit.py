"""The most trials in flight, which `--jobs` may ask for. In a module of its own, since all options name it."""

MOST = 500
"""Most trials in flight: one event loop does not keep up with the events of more clients."""
