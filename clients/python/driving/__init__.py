"""What every Python driver shares: the stream to the orchestrator, the instances, their workload and their reports."""
