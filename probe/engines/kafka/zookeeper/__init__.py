"""ZooKeeper: ensembles, and administration of the brokers that keep their state there."""
