"""Tests that need only this process and loopback sockets."""
