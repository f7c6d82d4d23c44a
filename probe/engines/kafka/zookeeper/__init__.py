"""ZooKeeper: ensembles, and administration of brokers by ZooKeeper nodes."""
