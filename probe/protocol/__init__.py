"""Kafka's protocol without I/O: frames in, events out. Standard library only; no module here uses sockets."""
