"""Methods to break and repair the disks of real brokers."""
