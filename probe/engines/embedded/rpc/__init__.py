"""Generated from proto/cluster.proto."""
