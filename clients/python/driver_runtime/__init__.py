"""The common part of all Python drivers: stream to the orchestrator, instances, their workloads and reports."""
