"""What all Python drivers share: the stream to the orchestrator, the instances, their workloads and reports."""
