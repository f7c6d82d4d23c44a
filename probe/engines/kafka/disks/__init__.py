"""Ways to break the disks of real brokers, and to repair them."""
