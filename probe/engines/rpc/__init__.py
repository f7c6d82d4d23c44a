"""Generated from go_shim/clusterpb/cluster.proto."""
