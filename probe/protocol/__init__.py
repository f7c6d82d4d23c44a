"""Kafka's protocol, sans-io: frames in, events out. Standard library only, nothing here knows sockets."""
